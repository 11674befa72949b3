(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker of a golden table of scales: whole numbers only, run by the kernel. ScaleSound.v proves what its `true` means. *)
From Coq Require Import ZArith Bool List Lia.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker Scales Ratio.
Import ListNotations.
Open Scope Z_scope.

(* What an amax has become on its way. *)
Inductive amount := AZero | AInf | ARatio (m e d : Z).

(* What an amax comes to before the choices that do not bear on rounding decide. *)
Inductive scale_outcome := SNan | SInf | SZero | SNumber (o : outcome).

Definition scale_outcome_eqb (x y : scale_outcome) : bool :=
  match x, y with
  | SNan, SNan | SInf, SInf | SZero, SZero => true
  | SNumber o, SNumber o' => outcome_eqb o o'
  | _, _ => false
  end.

Definition is_less (m e m' e' : Z) : bool :=
  let k := Z.min e e' in Z.shiftl m (e - k) <? Z.shiftl m' (e' - k).

Definition of_parts (p : Z * Z) : amount := let '(m, e) := p in if m =? 0 then AZero else ARatio m e 1.

(* In a format with subnormals. *)
Definition amount_in (t : format) (r : rounding_choice) (m e d : Z) : amount :=
  let a := round_ratio t r m e d in if max_code t <? a then AInf else of_parts (fast_parts t a).

Section Scale.
Variables (element f : format) (b : behaviour).

Definition least_m := 10633824.
Definition least_e := -123.
Definition amount_raised (m e : Z) : bool :=
  match least_amax b with NoLeastAmax => false | Fp32Least => is_less m e least_m least_e end.

Definition first_grid (is_raised : bool) : format :=
  let g := if is_raised then fp32 else f in Format (exponent_bits g) (fraction_bits element) (bias g) false true Ieee SignMagnitude.

Definition amount_first (m e : Z) : amount :=
  let up := amount_raised m e in
  let m' := if up then least_m else m in
  let e' := if up then least_e else e in
  if m' =? 0 then AZero
  else match rule b with Even => amount_in (first_grid up) NearestAway m' e' 1 | _ => ARatio m' e' 1 end.

Definition amount_divided (a : amount) : amount :=
  let '(dm, de) := divisor element (rule b) in
  match a with
  | ARatio m e d =>
      match arithmetic b with
      | Exact => ARatio m (e - de) (d * dm)
      | Fp32Multiply =>
          let '(rm, re) := fast_parts fp32 (round_ratio fp32 NearestEven 1 (- de) dm) in
          if rm =? 0 then AZero else amount_in fp32 NearestEven (m * rm) (e + re) d
      | Fp32Divide => amount_in fp32 NearestEven m (e - de) (d * dm)
      | Bf16Divide =>
          match of_parts (fast_parts bf16 (round_ratio bf16 NearestEven m e d)) with
          | ARatio m' e' d' => amount_in bf16 NearestEven m' (e' - de) (d' * dm)
          | other => other
          end
      end
  | other => other
  end.

(* Where a ratio is: below the smallest scale, at it, below the second, beyond. *)
Definition ratio_region (m e d : Z) : Z :=
  let k := ratio_mag m e d in
  if k <=? emin e8m0 then 0
  else if emin e8m0 + 1 <? k then 3
  else
    let j := e - emin e8m0 in
    if (if 0 <=? j then Z.shiftl m j =? d else m =? Z.shiftl d (- j)) then 1 else 2.

Definition ratio_outcome (m e d : Z) : outcome :=
  let rounded :=
    let a := round_ratio e8m0 (rounding_of element (rule b)) m e d in
    if max_code e8m0 <? a then OOverflow false else OCode a in
  let z := ratio_region m e d in
  if z =? 3 then rounded
  else
    match lowest_binade b with
    | UpNonzero => OCode 1
    | UpAboveSmallest => if z =? 2 then OCode 1 else OCode 0
    | ByValue => if z =? 0 then OCode 0 else rounded
    | ZeroBelow => if z =? 0 then OZero false else rounded
    end.

Definition amount_outcome (a : amount) : scale_outcome :=
  match a with
  | AZero => SZero
  | AInf => SInf
  | ARatio m e d => SNumber (ratio_outcome m e d)
  end.

Definition outcome_of (x : Z) : scale_outcome :=
  match fast_decode f x with
  | MNan _ _ => SNan
  | MInf _ => SInf
  | MNumber _ m e => amount_outcome (amount_divided (amount_first m e))
  end.

(* The permit of an outcome. *)
Definition zero_code : Z :=
  match zero b with
  | ZeroSmallest => 0
  | ZeroNan => all_ones e8m0
  | ZeroOne => bias e8m0
  | ZeroLowered => bias e8m0 - emax element
  end.
Definition scale_permit (o : scale_outcome) : permit :=
  match o with
  | SNan => nan_permit e8m0 b false 0
  | SInf => match overflow b with Sat => PCode (max_code e8m0) | Nosat => special_permit e8m0 b false end
  | SZero => PCode zero_code
  | SNumber o => outcome_permit e8m0 false (with_rounding b (rounding_of element (rule b))) o
  end.
End Scale.

Section Rows.
Variables (element f : format) (bs : list behaviour) (b : behaviour).

Definition scale_outcome_ok (r : row) (o : scale_outcome) : bool :=
  forallb (fun b' => negb (agrees b' r) || permit_eqb (permitted r) (scale_permit element b' o)) bs.

(* Outcomes keep the order of amaxes, but zero may be raised beyond others: a row is right if both of its ends are. *)
Definition scale_ok (r : row) : bool :=
  let x := first r in
  let y := last r in
  let o := outcome_of element f b y in
  scale_outcome_ok r o &&
  (if x =? y then true
   else scale_outcome_eqb o (outcome_of element f b (if x =? 0 then 1 else x)) &&
        (if x =? 0 then scale_outcome_eqb o (outcome_of element f b 0) else true)).
End Rows.

(* What the proof asks of the formats. Either all amaxes of f are values of FP32 with its exponents, or none but zero is raised. *)
Definition well_formed_scale (element f : format) : bool :=
  well_formed f && negb (is_signed f) && has_subnormals f &&
  match coding f with SignMagnitude => true | TwosComplement => false end &&
  match specials f with Ieee => true | _ => false end &&
  (1 <=? fraction_bits element) && (fraction_bits element <=? 52) && (0 <? fst (largest_element element)) &&
  (((exponent_bits f =? 8) && (bias f =? 127)) || negb (is_less (fst (parts f 1)) (snd (parts f 1)) least_m least_e)).

Definition check_scales (g : scale_table) : bool :=
  well_formed_scale (element_of g) (amax_of g) &&
  check_rows (scale_ok (element_of g) (amax_of g)) (scale_rows g) (scale_choices g) (codes (amax_of g)).
