(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker of a golden table of flags: whole numbers only, run by the kernel. FlagSound.v proves what its `true` means. *)
From Coq Require Import ZArith Bool List Lia.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker Flags.
Import ListNotations.
Open Scope Z_scope.

(* What decides the flags of an input, whatever the choices beside the rounding. Of a number that does not overflow: its neighbours in
   the format, and whether it is tiny before and after rounding. *)
Inductive flag_outcome :=
  | FNan (is_signalling : bool)
  | FInf
  | FZero
  | FOverflow
  | FNumber (below above : Z) (tiny_before tiny_after : bool).

Definition flag_outcome_eqb (x y : flag_outcome) : bool :=
  match x, y with
  | FNan a, FNan a' => eqb a a'
  | FInf, FInf | FZero, FZero | FOverflow, FOverflow => true
  | FNumber l h a c, FNumber l' h' a' c' => (l =? l') && (h =? h') && eqb a a' && eqb c c'
  | _, _ => false
  end.

Section Conversion.
Variables (f t : format).

(* The format with so many binades below that no number of f is subnormal in it. *)
Definition wide : format := Format (exponent_bits t + 12) (fraction_bits t) (bias t + 2048) (is_signed t) true (specials t) SignMagnitude.
(* The code there of the smallest normal number of t. *)
Definition normal_code : Z := round_magnitude wide TowardZero false 1 (emin t).

Definition number_flags (r : rounding_choice) (negative : bool) (m e : Z) : flag_outcome :=
  if max_code t <? round_magnitude t r negative m e then FOverflow
  else FNumber (round_magnitude t TowardZero negative m e) (round_magnitude t AwayFromZero negative m e)
    (Zdigits2 m + e <=? emin t) (round_magnitude wide r negative m e <? normal_code).

Definition flag_outcome_of (r : rounding_choice) (x : Z) : flag_outcome :=
  match fast_decode f x with
  | MNan _ _ => FNan (is_signalling f x)
  | MInf _ => FInf
  | MNumber negative m e => if m =? 0 then FZero else number_flags r negative m e
  end.

(* Whether every value of f is one of t. *)
Variable embedded : bool.
Variable b : behaviour.
Definition flags_permit (o : flag_outcome) : permit :=
  PCode
    match o with
    | FNan is_signalling =>
        let invalid :=
          match invalid_nan b with
          | Signalling => is_signalling
          | SignallingE4m3 => is_signalling || match specials f with NanAllOnes => true | _ => false end
          | NeverInvalid => false
          end in
        if invalid then flag_invalid else 0
    | FInf =>
        if match specials t with Ieee => match overflow b with Nosat => true | Sat => embedded end | _ => false end then 0
        else match inf_flags b with InfNone => 0 | InfOverflow => flag_overflow + flag_inexact end
    | FZero => 0
    | FOverflow => flag_overflow + flag_inexact
    | FNumber below above tiny_before tiny_after =>
        if below =? above then 0
        else if match tininess b with BeforeRounding => tiny_before | AfterRounding => tiny_after end then flag_underflow + flag_inexact
        else flag_inexact
    end.
End Conversion.

Section Rows.
Variables (f t : format) (embedded : bool) (bs : list behaviour) (b : behaviour).

Definition flag_outcome_ok (r : row) (o : flag_outcome) : bool :=
  forallb (fun b' => negb (agrees b' r) || permit_eqb (permitted r) (flags_permit f t embedded b' o)) bs.

(* As range_ok() of Checker.v: inputs of one sign between two of one outcome have it too. *)
Fixpoint flags_ok (fuel : nat) (r : row) (x y : Z) : bool :=
  let o := flag_outcome_of f t (rounding b) x in
  if if x =? y then true
     else (segment (Plain f) x =? segment (Plain f) y) && flag_outcome_eqb o (flag_outcome_of f t (rounding b) y)
  then flag_outcome_ok r o
  else
    match fuel with
    | O => false
    | S fuel => let middle := Z.div2 (x + y + 1) in if flags_ok fuel r x (middle - 1) then flags_ok fuel r middle y else false
    end.
End Rows.

(* What the proof asks of the formats: both have a sign and subnormal numbers, and no number of f is subnormal in the wide one. *)
Definition is_flagged (g : format) : bool :=
  well_formed g && is_signed g && has_subnormals g && match coding g with SignMagnitude => true | TwosComplement => false end &&
  (1 <=? fraction_bits g).
Definition well_formed_flags (f t : format) : bool :=
  is_flagged f && is_flagged t && (emin (wide t) + 1 <=? quantum f) && (emin (wide t) + 1 <=? emin t).

Definition check_flags_with (embedded : bool) (g : flags_table) : bool :=
  check_rows (fun bs b r => flags_ok (flags_from g) (flags_to g) embedded bs b fuel r (first r) (last r))
    (flags_rows g) (flags_choices g) (codes (flags_from g)).

Definition check_flags (g : flags_table) : bool :=
  let f := flags_from g in
  if well_formed_flags f (flags_to g) then
    match specials f with
    | Ieee => match embedding f (flags_to g) with Some embedded => check_flags_with embedded g | None => false end
    | _ => check_flags_with false g
    end
  else false.
