(* SPDX-License-Identifier: Apache-2.0 *)
(* The scale of a block from its amax, by the rules of the standards and of software. Part of the statement: read this file to know
   what is proven. The amax is divided by a number that the rule and the element's format fix, and the quotient is rounded to a power
   of two, as reference/scale_rule.hpp has it. *)
From Coq Require Import ZArith Reals Bool List.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Table.
Import ListNotations.
Open Scope Z_scope.

(* An amax is a magnitude: a code without its sign. *)
Definition without_sign (f : format) :=
  Format (exponent_bits f) (fraction_bits f) (bias f) false (has_subnormals f) (specials f) (coding f).
Definition amax_fp32 := without_sign fp32.
Definition amax_fp16 := without_sign fp16.
Definition amax_bf16 := without_sign bf16.

(* What arithmetic gives: a number that is not negative, or Inf. *)
Inductive extended := Finite (v : R) | Infinite.

Definition largest_value (t : format) : R := number false (fst (parts t (max_code t))) (snd (parts t (max_code t))).
Definition in_format (t : format) (r : rounding_choice) (v : R) : extended :=
  let y := rounded t r v in if Rle_bool y (largest_value t) then Finite y else Infinite.

Section Scale.
Variables (element f : format).   (* of the elements, and of the amax without its sign *)

(* The largest element, and the exponent of its binade, which MX v1.0 calls emax. *)
Definition largest_element : Z * Z := parts element (max_code element).
Definition emax : Z := Z.log2 (fst largest_element) + snd largest_element.

(* Where rounding to the nearest element begins to overflow: half a unit in the last place above the largest element. *)
Definition half_unit : Z := emax - fraction_bits element - 1.   (* an exponent *)
Definition overflow_tie : Z := fst largest_element * 2 ^ (snd largest_element - half_unit) + 1.   (* in half units *)
(* The tie itself goes to the largest element if that is even. *)
Definition largest_is_even : bool := Z.even (max_code element).

(* Significand and exponent of what the amax is divided by. *)
Definition divisor (r : rule_choice) : Z * Z :=
  match r with
  | OcpFloor | Ceil | Even | LogNearest2 => (1, emax)
  | Rceil | Rfloor | LogNearest | ArithNearest => largest_element
  | EvenFbgemm => (2 ^ (fraction_bits element + 2) - 1, half_unit)   (* half a unit below 2^(emax + 1) *)
  | Tosa => if largest_is_even then (overflow_tie, half_unit) else (overflow_tie, half_unit - 1)
  | Neuron => (1, emax - 1)
  | P3109 | NoRule => (1, 0)
  end.

(* How the quotient is rounded to a power of two. *)
Definition rounding_of (r : rule_choice) : rounding_choice :=
  match r with
  | OcpFloor | Rfloor | Even | Neuron => TowardZero
  | Ceil | Rceil | EvenFbgemm => Up
  | Tosa => if largest_is_even then Up else TowardZero
  | LogNearest | LogNearest2 => NearestLog2
  | ArithNearest => NearestAway
  | P3109 | NoRule => NearestEven
  end.

Variable b : behaviour.

(* The FP32 nearest to 1e-30, 0x0DA24260: a smaller amax is raised to it. *)
Definition least : R := number false 10633824 (-123).
Definition is_raised (v : R) : bool := match least_amax b with NoLeastAmax => false | Fp32Least => Rlt_bool v least end.
Definition raised (v : R) : R := if is_raised v then least else v.

(* `even` rounds the amax first, to the fraction bits of the element, ties away. *)
Definition first_format (v : R) : format :=
  let g := if is_raised v then fp32 else f in Format (exponent_bits g) (fraction_bits element) (bias g) false true Ieee SignMagnitude.
Definition rounded_first (v : R) : extended :=
  match rule b with
  | Even => in_format (first_format v) NearestAway (raised v)
  | _ => Finite (raised v)
  end.

(* The quotient in real numbers, or as FP32 or BF16 gives it; a product is one with the nearest FP32 to the reciprocal. *)
Definition quotient (v d : R) : extended :=
  match arithmetic b with
  | Exact => Finite (v / d)
  | Fp32Multiply => in_format fp32 NearestEven (v * rounded fp32 NearestEven (/ d))
  | Fp32Divide => in_format fp32 NearestEven (v / d)
  | Bf16Divide => in_format bf16 NearestEven (rounded bf16 NearestEven v / d)
  end.
Definition amax_quotient (v : R) : extended :=
  match rounded_first v with
  | Finite w => quotient w (number false (fst (divisor (rule b))) (snd (divisor (rule b))))
  | Infinite => Infinite
  end.

Definition with_rounding (r : rounding_choice) : behaviour := choose (TRounding r) b.

Definition scale_of_inf (c : Z) : Prop :=
  match overflow b with Sat => c = max_code e8m0 | Nosat => special_result e8m0 b false c end.
Definition scale_of_zero (c : Z) : Prop :=
  match zero b with
  | ZeroSmallest => c = 0
  | ZeroNan => c = all_ones e8m0
  | ZeroOne => c = bias e8m0
  | ZeroLowered => c = bias e8m0 - emax
  end.

(* c is a right scale for a block with the amax x. *)
Definition right_scale (x c : Z) : Prop :=
  match decode f x with
  | MNan negative payload => nan_result e8m0 b negative payload c
  | MInf _ => scale_of_inf c
  | MNumber _ m e =>
      match amax_quotient (number false m e) with
      | Infinite => scale_of_inf c
      | Finite q => (q = 0%R /\ scale_of_zero c) \/ (q <> 0%R /\ number_result e8m0 (with_rounding (rounding_of (rule b))) false q c)
      end
  end.
End Scale.

(* A golden table of scales, to E8M0. *)
Record scale_table := ScaleTable {
  element_of : format;
  amax_of : format;
  scale_choices : list (list term);
  scale_entries : list entry
}.
Definition scale_rows (g : scale_table) : list row := flat_map repeated (scale_entries g).
Definition scale_table_is_right (g : scale_table) : Prop :=
  rows_are_right (scale_rows g) (scale_choices g) (codes (amax_of g)) e8m0 (right_scale (element_of g) (amax_of g)).
