(* SPDX-License-Identifier: Apache-2.0 *)
(* Formats as data, and the real number that a code stands for. Part of the statement: read this file to know what is proven. *)
From Coq Require Import ZArith Reals Bool.
From Flocq Require Import Core.
Open Scope Z_scope.

(* Which codes are not numbers (OFP8 v1.0 Tables 1-2; MX v1.0 5.4.1; IEEE 754-2019 3.4). *)
Inductive special_codes :=
  | NoSpecials    (* every code is a number: E3M2, E2M3, E2M1, INT8 *)
  | Ieee          (* exponent all ones: fraction 0 is Inf, every other fraction is NaN *)
  | NanAllOnes.   (* only exponent and fraction all ones is NaN; there is no Inf *)

Inductive encoding :=
  | SignMagnitude     (* the top bit is the sign, if the format has one *)
  | TwosComplement.   (* a negative number is 2^width less its magnitude *)

(* A code is sign | exponent | fraction, from the top bit. *)
Record format := Format {
  exponent_bits : Z;
  fraction_bits : Z;
  bias : Z;
  is_signed : bool;
  has_subnormals : bool;   (* without: exponent field 0 is an ordinary binade and zero has no code *)
  specials : special_codes;
  coding : encoding
}.

Definition fp64 := Format 11 52 1023 true true Ieee SignMagnitude.
Definition fp32 := Format 8 23 127 true true Ieee SignMagnitude.
Definition fp16 := Format 5 10 15 true true Ieee SignMagnitude.
Definition bf16 := Format 8 7 127 true true Ieee SignMagnitude.
Definition e4m3 := Format 4 3 7 true true NanAllOnes SignMagnitude.
Definition e5m2 := Format 5 2 15 true true Ieee SignMagnitude.
Definition e8m0 := Format 8 0 127 false false NanAllOnes SignMagnitude.
Definition e3m2 := Format 3 2 3 true true NoSpecials SignMagnitude.
Definition e2m3 := Format 2 3 1 true true NoSpecials SignMagnitude.
Definition e2m1 := Format 2 1 1 true true NoSpecials SignMagnitude.
Definition int8 := Format 1 6 1 true true NoSpecials TwosComplement.
Definition ue4m3 := Format 4 3 7 false true NanAllOnes SignMagnitude.
Definition ue5m3 := Format 5 3 15 false true NanAllOnes SignMagnitude.

(* Scales are powers of two: formats of an exponent alone. Those of Arm's FPMR have no NaN (Arm ARM, FCVTN, F1CVTL, C3.11.5.3).
   NSCALE is signed, and its code is the field with the top bit inverted; conversions from FP16 read its lower five bits. LSCALE is
   unsigned; conversions to FP16 read four bits, those to BF16 six. *)
Definition nscale := Format 8 0 128 false false NoSpecials SignMagnitude.
Definition nscale5 := Format 5 0 16 false false NoSpecials SignMagnitude.
Definition lscale4 := Format 4 0 0 false false NoSpecials SignMagnitude.
Definition lscale6 := Format 6 0 0 false false NoSpecials SignMagnitude.

Section Codes.
Variable f : format.

(* Number of magnitudes: the weight of the sign bit, if there is one. *)
Definition magnitudes := 2 ^ (exponent_bits f + fraction_bits f).
Definition codes := if is_signed f then 2 * magnitudes else magnitudes.
Definition is_code (c : Z) := 0 <= c < codes.

Definition is_negative (c : Z) : bool := is_signed f && (magnitudes <=? c).
Definition magnitude (c : Z) : Z :=
  match coding f with
  | SignMagnitude => c mod magnitudes
  | TwosComplement => if is_negative c then 2 * magnitudes - c else c
  end.

Definition all_ones := magnitudes - 1.
Definition inf_code := magnitudes - 2 ^ fraction_bits f.
Definition nan_magnitude (a : Z) : bool :=
  match specials f with
  | NoSpecials => false
  | Ieee => inf_code <? a
  | NanAllOnes => a =? all_ones
  end.
Definition inf_magnitude (a : Z) : bool :=
  match specials f with
  | Ieee => a =? inf_code
  | _ => false
  end.
Definition is_nan (c : Z) : bool := nan_magnitude (magnitude c).
(* The largest finite magnitude of either sign, as a code. INT8 has one magnitude more, of negative sign alone. *)
Definition max_code :=
  match specials f with
  | NoSpecials => all_ones
  | Ieee => inf_code - 1
  | NanAllOnes => all_ones - 1
  end.

(* The exponent of the lowest binade, and that of the last place there: 2^quantum is the smallest distance of two values. *)
Definition emin := (if has_subnormals f then 1 else 0) - bias f.
Definition quantum := emin - fraction_bits f.

(* Significand and exponent of a magnitude a = E 2^fraction_bits + M:
     E > 0, or no subnormals:   (2^fraction_bits + M) 2^(E - bias - fraction_bits)
     E = 0 with subnormals:     M 2^(1 - bias - fraction_bits)
   and of a magnitude of two's complement a 2^quantum. There is no upper bound on a: with it, the exponent has none. *)
Definition parts (a : Z) : Z * Z :=
  let hidden := 2 ^ fraction_bits f in
  match coding f with
  | TwosComplement => (a, quantum)
  | SignMagnitude =>
      let E := a / hidden in
      let M := a mod hidden in
      if has_subnormals f then if E =? 0 then (M, quantum) else (hidden + M, quantum + E - 1)
      else (hidden + M, quantum + E)
  end.

(* A code with this sign and magnitude. *)
Definition signed_code (negative : bool) (a : Z) : Z :=
  match coding f with
  | SignMagnitude => if negative && is_signed f then magnitudes + a else a
  | TwosComplement => if negative && negb (a =? 0) then 2 * magnitudes - a else a
  end.

Definition has_minus_zero : bool :=
  is_signed f && match coding f with SignMagnitude => true | TwosComplement => false end.
End Codes.

(* The meaning of a code. *)
Inductive meaning :=
  | MNan (negative : bool) (payload : Z)            (* the fraction as the upper bits of one of 52 bits *)
  | MInf (negative : bool)
  | MNumber (negative : bool) (significand exponent : Z).

Definition meaning_of_magnitude (f : format) (negative : bool) (a : Z) : meaning :=
  if nan_magnitude f a then MNan negative ((a mod 2 ^ fraction_bits f) * 2 ^ (52 - fraction_bits f))
  else if inf_magnitude f a then MInf negative
  else MNumber negative (fst (parts f a)) (snd (parts f a)).
Definition decode (f : format) (c : Z) : meaning := meaning_of_magnitude f (is_negative f c) (magnitude f c).

Definition number (negative : bool) (significand exponent : Z) : R :=
  F2R (Float radix2 (cond_Zopp negative significand) exponent).

(* What is converted: a code; a code with its scale above it, a code of g (E8M0 of MX v1.0 5.1 and 6.3, or a scale of Arm's FPMR);
   or a code after a rectifier (`.relu` of PTX ISA 9.1 9.7.9.21). *)
Inductive source :=
  | Plain (f : format)
  | Divided (g f : format)      (* the value divided by its scale *)
  | Multiplied (g f : format)   (* the value times its scale *)
  | Rectified (f : format).     (* the value, but +0 for what is negative *)

Definition value_format (s : source) : format :=
  match s with Plain f | Divided _ f | Multiplied _ f | Rectified f => f end.
Definition inputs (s : source) : Z :=
  match s with Plain f | Rectified f => codes f | Divided g f | Multiplied g f => codes g * codes f end.

(* A scale is 2^(scale - bias); where it is NaN, so is the result. *)
Definition with_scale (g : format) (scale : Z) (m : meaning) (up : bool) : meaning :=
  if is_nan g scale then
    match m with MNan negative _ | MInf negative | MNumber negative _ _ => MNan negative 0 end
  else
    match m with
    | MNumber negative m e => MNumber negative m (if up then e + (scale - bias g) else e - (scale - bias g))
    | special => special
    end.

(* Negative numbers, -0 and -Inf become +0; a NaN of either sign stays. *)
Definition rectified (m : meaning) : meaning :=
  match m with
  | MNan negative payload => MNan negative payload
  | MInf true | MNumber true _ _ => MNumber false 0 0
  | positive => positive
  end.

Definition meaning_of (s : source) (x : Z) : meaning :=
  match s with
  | Plain f => decode f x
  | Divided g f => with_scale g (x / codes f) (decode f (x mod codes f)) false
  | Multiplied g f => with_scale g (x / codes f) (decode f (x mod codes f)) true
  | Rectified f => rectified (decode f x)
  end.
