(* SPDX-License-Identifier: Apache-2.0 *)
(* The right result of a conversion, by the definitions of the standards. Part of the statement: read this file to know what is
   proven. Nothing here computes: values and roundings are real numbers, as Flocq defines them. *)
From Coq Require Import ZArith Reals Bool List.
From Flocq Require Import Core Round_odd.
From Mxcert Require Import Formats.
Open Scope Z_scope.

(* Choices, with the names and values of reference/choices.hpp. A choice that is not here has its default. *)
Inductive rounding_choice := NearestEven | NearestAway | NearestZero | TowardZero | Up | Down | AwayFromZero | ToOdd | NearestLog2.
Inductive overflow_choice := Sat | Nosat.
Inductive directed_overflow_choice := DirectedSpecial | DirectedMax.
Inductive nan_choice :=
  | NanCanonical | NanSign | NanQuiet | NanQuietSign | NanPayloadSign | NanMax | NanMaxSign | NanZero | NanZeroInverted | NanAny.
Inductive overflow_nan_choice := OverflowNanSign | OverflowNanCanonical | OverflowNanAny.
Inductive zero_sign_choice := ZeroKept | ZeroDropped.
Inductive negative_choice := NegativeMagnitude | NegativeZero | NegativeNan.
Inductive zero_choice := ZeroSmallest | ZeroNan | ZeroOne | ZeroLowered.
Inductive lowest_binade_choice := ByValue | UpAboveSmallest | UpNonzero | ZeroBelow.
Inductive lowest_choice := LowestUnused | LowestUsed.
(* Of the scale of a block alone: Scales.v. *)
Inductive rule_choice :=
  | NoRule | OcpFloor | Ceil | Rceil | Rfloor | Even | EvenFbgemm | Tosa | Neuron | LogNearest | LogNearest2 | ArithNearest | P3109.
Inductive arithmetic_choice := Exact | Fp32Multiply | Fp32Divide | Bf16Divide.
Inductive least_amax_choice := NoLeastAmax | Fp32Least.   (* fp32_1e_30 *)
(* Of the flags of a conversion alone: Flags.v. *)
Inductive tininess_choice := AfterRounding | BeforeRounding.
Inductive invalid_nan_choice := Signalling | SignallingE4m3 | NeverInvalid.
Inductive inf_flags_choice := InfNone | InfOverflow.

Record behaviour := Behaviour {
  rounding : rounding_choice;
  overflow : overflow_choice;
  directed_overflow : directed_overflow_choice;
  nan : nan_choice;
  overflow_nan : overflow_nan_choice;
  zero_sign : zero_sign_choice;
  negative : negative_choice;
  zero : zero_choice;
  lowest_binade : lowest_binade_choice;
  lowest : lowest_choice;
  rule : rule_choice;
  arithmetic : arithmetic_choice;
  least_amax : least_amax_choice;
  tininess : tininess_choice;
  invalid_nan : invalid_nan_choice;
  inf_flags : inf_flags_choice
}.

(* Roundings to an integer. Flocq has all but the last; Znearest takes what a tie does, true for up. *)

(* To the nearer integer on a logarithmic scale: the switch is at the geometric mean of the two. *)
Definition Zlog2_magnitude (x : R) : Z :=
  let n := Zfloor x in
  if Req_bool x (IZR n) then n else if Rle_bool (IZR (n * (n + 1))) (x * x) then n + 1 else n.
Definition Zlog2 (x : R) : Z :=
  if Rle_bool 0 x then Zlog2_magnitude x else - Zlog2_magnitude (- x).

(* The exponent field of the code at or below a magnitude, its exponent not bounded. *)
Definition field (t : format) (v : R) : Z := mag radix2 v - 1 + bias t.

(* A code is even as its significand is; where there is no fraction, as its exponent field is. *)
Definition to_integer (t : format) (r : rounding_choice) (v : R) : R -> Z :=
  match r with
  | NearestEven => if fraction_bits t =? 0 then Znearest (fun _ => Z.odd (field t v)) else ZnearestE
  | NearestAway => ZnearestA
  | NearestZero => Znearest (fun n => n <? 0)
  | TowardZero => Ztrunc
  | Up => Zceil
  | Down => Zfloor
  | AwayFromZero => Zaway
  | ToOdd => if fraction_bits t =? 0 then if Z.odd (field t v) then Ztrunc else Zaway else Zrnd_odd
  | NearestLog2 => Zlog2
  end.

(* The grid of a format with its exponent not bounded above. *)
Definition grid (t : format) : Z -> Z :=
  match coding t with
  | SignMagnitude => FLT_exp (quantum t) (fraction_bits t + 1)
  | TwosComplement => FIX_exp (quantum t)
  end.

(* v rounded once (OFP8 v1.0 5.2.1, IEEE 754-2019 4.3). *)
Definition rounded (t : format) (r : rounding_choice) (v : R) : R := round radix2 (grid t) (to_integer t r v) v.

Section Results.
Variables (s : source) (t : format) (b : behaviour).

(* What a code of t may be. *)
Definition finite_value (c : Z) (v : R) : Prop :=
  exists negative m e, decode t c = MNumber negative m e /\ v = number negative m e.
Definition any_nan (c : Z) : Prop := is_nan t c = true.

(* OFP8 Table 3, row NaN; MX 5.3.2-5.3.4; PTX and AMD where the format has no NaN. *)
Definition quiet_code := inf_code t + 2 ^ (fraction_bits t - 1).
Definition nan_result (negative : bool) (payload : Z) (c : Z) : Prop :=
  let signed_like a := c = signed_code t negative a in
  match specials t, nan b with
  | _, NanMax => c = max_code t
  | _, NanMaxSign => signed_like (max_code t)
  | _, NanZero => c = 0
  | _, NanZeroInverted => c = if has_minus_zero t then signed_code t (negb negative) 0 else 0
  | NoSpecials, _ => c = max_code t
  | _, NanAny => any_nan c
  | _, NanCanonical => c = all_ones t
  | _, NanSign => signed_like (all_ones t)
  | NanAllOnes, NanQuiet => c = all_ones t
  | NanAllOnes, NanQuietSign | NanAllOnes, NanPayloadSign => signed_like (all_ones t)
  | Ieee, NanQuiet => c = quiet_code
  | Ieee, NanQuietSign => signed_like quiet_code
  | Ieee, NanPayloadSign => signed_like (Z.lor quiet_code (payload / 2 ^ (52 - fraction_bits t)))
  end.

(* Every finite value of the source, before a scale or a rectifier, is one of the target. *)
Definition embeds : Prop :=
  forall x negative m e, is_code (value_format s) x -> decode (value_format s) x = MNumber negative m e ->
  exists c, is_code t c /\ finite_value c (number negative m e).

(* MX 5.3.4: the code that a magnitude beyond the largest saturates to, and the largest magnitude. *)
Definition uses_lowest (negative : bool) : bool :=
  negative && match coding t, lowest b with TwosComplement, LowestUsed => true | _, _ => false end.
Definition farthest (negative : bool) : Z :=
  if uses_lowest negative then magnitudes t else signed_code t negative (max_code t).
Definition largest (negative : bool) : R :=
  let a := if uses_lowest negative then magnitudes t else max_code t in
  number false (fst (parts t a)) (snd (parts t a)).

(* Inf; NaN where the format has no Inf; the farthest code where it has neither. *)
Definition special_result (negative : bool) (c : Z) : Prop :=
  match specials t with
  | Ieee => c = signed_code t negative (inf_code t)
  | NoSpecials => c = farthest negative
  | NanAllOnes =>
      match overflow_nan b with
      | OverflowNanSign => c = signed_code t negative (all_ones t)
      | OverflowNanCanonical => c = all_ones t
      | OverflowNanAny => any_nan c
      end
  end.

(* OFP8 Table 3, row Inf; IEEE 754 6.1. *)
Definition inf_result (negative : bool) (c : Z) : Prop :=
  (overflow b = Sat /\ ~ embeds /\ c = farthest negative) \/
  ((overflow b = Nosat \/ embeds) /\ special_result negative c).

(* OFP8 Table 3, row overflow; IEEE 754 7.4 for a rounding that points toward zero there. *)
Definition points_to_zero (negative : bool) : bool :=
  match rounding b with
  | TowardZero | ToOdd => true
  | Up => negative
  | Down => negb negative
  | _ => false
  end.
Definition overflow_result (negative : bool) (c : Z) : Prop :=
  match overflow b with
  | Sat => c = farthest negative
  | Nosat =>
      match points_to_zero negative, directed_overflow b with
      | true, DirectedMax => c = farthest negative
      | _, _ => special_result negative c
      end
  end.

(* OFP8 Table 3, rows zero and underflow; MX 5.4.1 where the format has no zero. *)
Definition zero_result (negative : bool) (c : Z) : Prop :=
  if has_subnormals t then
    c = signed_code t (negative && has_minus_zero t && match zero_sign b with ZeroKept => true | ZeroDropped => false end) 0
  else
    match zero b with
    | ZeroSmallest => c = 0
    | ZeroNan => c = all_ones t
    | ZeroOne | ZeroLowered => c = bias t   (* without an element there is nothing to lower it by *)
    end.

(* OFP8 5.2.1: rounded with the exponent not bounded, and only then compared with the largest magnitude. *)
Definition rounded_result (negative : bool) (v : R) (c : Z) : Prop :=
  let y := rounded t (rounding b) v in
  ((largest negative < Rabs y)%R /\ overflow_result negative c) \/
  ((Rabs y <= largest negative)%R /\ y = 0%R /\ zero_result negative c) \/
  ((Rabs y <= largest negative)%R /\ y <> 0%R /\ finite_value c y).

(* Below the second code of a format without subnormals (MX 5.4.1, silent). *)
Definition number_result (negative : bool) (v : R) (c : Z) : Prop :=
  let smallest := bpow radix2 (emin t) in
  let second := bpow radix2 (emin t + 1) in
  if has_subnormals t then rounded_result negative v c
  else
    match lowest_binade b with
    | UpNonzero => ((v < second)%R /\ c = 1) \/ ((second <= v)%R /\ rounded_result negative v c)
    | UpAboveSmallest =>
        ((v <= smallest)%R /\ c = 0) \/ ((smallest < v < second)%R /\ c = 1) \/ ((second <= v)%R /\ rounded_result negative v c)
    | ByValue => ((v < smallest)%R /\ c = 0) \/ ((smallest <= v)%R /\ rounded_result negative v c)
    | ZeroBelow => ((v < smallest)%R /\ zero_result negative c) \/ ((smallest <= v)%R /\ rounded_result negative v c)
    end.

(* What becomes of the sign in a format without one (silent): the magnitude goes on, or the result is decided. *)
Definition with_sign (is_negative : bool) (go_on : bool -> Z -> Prop) (c : Z) : Prop :=
  if is_signed t then go_on is_negative c
  else if is_negative then
    match negative b with
    | NegativeMagnitude => go_on false c
    | NegativeZero => c = 0
    | NegativeNan => c = all_ones t
    end
  else go_on false c.

(* c is a right result for the input x. *)
Definition right (x c : Z) : Prop :=
  is_code t c /\
  match meaning_of s x with
  | MNan negative payload => nan_result negative payload c
  | MInf negative => with_sign negative inf_result c
  | MNumber negative m e =>
      if m =? 0 then zero_result (negative && is_signed t) c
      else with_sign negative (fun sign => number_result sign (number sign m e)) c
  end.
End Results.
