(* SPDX-License-Identifier: Apache-2.0 *)
(* The exceptions that a conversion raises, by IEEE 754-2019 clause 7. Part of the statement: read this file to know what is proven. *)
From Coq Require Import ZArith Reals Bool List.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Table.
Import ListNotations.
Open Scope Z_scope.

(* Flags in the order of RISC-V's fflags. A division by zero is never raised. *)
Definition flag_inexact := 1.
Definition flag_underflow := 2.
Definition flag_overflow := 4.
Definition flag_invalid := 16.
(* A code of flags: five bits. *)
Definition flags := Format 5 0 0 false false NoSpecials SignMagnitude.

Section Flags.
Variables (f t : format) (b : behaviour).   (* f is converted to t *)

(* IEEE 754 6.2.1: a NaN is quiet if the first bit of its fraction is set. The one NaN of E4M3 is quiet, unless it counts. *)
Definition is_signalling (x : Z) : bool :=
  match specials f with Ieee => negb (Z.testbit x (fraction_bits f - 1)) | _ => false end.
Definition nan_is_invalid (x : Z) : bool :=
  match invalid_nan b with
  | Signalling => is_signalling x
  | SignallingE4m3 => is_signalling x || match specials f with NanAllOnes => true | _ => false end
  | NeverInvalid => false
  end.

(* Inf stays Inf, and raises nothing (6.1); where it cannot stay a choice decides. *)
Definition inf_stays : Prop := specials t = Ieee /\ (overflow b = Nosat \/ embeds (Plain f) t).
Definition flags_of_inf (c : Z) : Prop :=
  (inf_stays /\ c = 0) \/
  (~ inf_stays /\ c = match inf_flags b with InfNone => 0 | InfOverflow => flag_overflow + flag_inexact end).

(* 7.5: tiny is a number below the smallest normal one; or one that would be rounded to below it if the exponent had no bound. *)
Definition smallest_normal : R := bpow radix2 (emin t).
Definition rounded_unbounded (v : R) : R := round radix2 (FLX_exp (fraction_bits t + 1)) (to_integer t (rounding b) v) v.
Definition is_tiny (v : R) : Prop :=
  match tininess b with
  | BeforeRounding => (Rabs v < smallest_normal)%R
  | AfterRounding => (Rabs (rounded_unbounded v) < smallest_normal)%R
  end.

(* 7.4, 7.5, 7.6: of a number other than zero. *)
Definition flags_of_number (negative : bool) (v : R) (c : Z) : Prop :=
  let y := rounded t (rounding b) v in
  ((largest t b negative < Rabs y)%R /\ c = flag_overflow + flag_inexact) \/
  ((Rabs y <= largest t b negative)%R /\
   ((y = v /\ c = 0) \/
    (y <> v /\ is_tiny v /\ c = flag_underflow + flag_inexact) \/
    (y <> v /\ ~ is_tiny v /\ c = flag_inexact))).

(* c are the flags of the conversion of x. *)
Definition right_flags (x c : Z) : Prop :=
  match decode f x with
  | MNan _ _ => c = if nan_is_invalid x then flag_invalid else 0
  | MInf _ => flags_of_inf c
  | MNumber negative m e => if m =? 0 then c = 0 else flags_of_number negative (number negative m e) c
  end.
End Flags.

(* A golden table of flags. *)
Record flags_table := FlagsTable {
  flags_from : format;
  flags_to : format;
  flags_choices : list (list term);
  flags_entries : list entry
}.
Definition flags_rows (g : flags_table) : list row := flat_map repeated (flags_entries g).
Definition flags_table_is_right (g : flags_table) : Prop :=
  rows_are_right (flags_rows g) (flags_choices g) (codes (flags_from g)) flags (right_flags (flags_from g) (flags_to g)).
