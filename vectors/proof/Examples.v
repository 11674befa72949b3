(* SPDX-License-Identifier: Apache-2.0 *)
(* That Formats.v and Spec.v say what they should: values that documents print, and IEEE 754 formats beside Flocq's own decoding. *)
From Coq Require Import ZArith Reals Bool List Lia Lra.
From Flocq Require Import Core Binary Bits.
From Mxcert Require Import Formats Spec Table Magnitude Checker Outcome Between Sound Scales ScaleChecker ScaleSound Flags FlagChecker FlagSound.
Import ListNotations.
Open Scope Z_scope.

Ltac value := do 3 eexists; split; [vm_compute; reflexivity|unfold number, F2R; simpl; lra].

Example e4m3_largest : finite_value e4m3 126 448. Proof. value. Qed.
Example e4m3_smallest : finite_value e4m3 1 (/ 512). Proof. value. Qed.
Example e4m3_nan : is_nan e4m3 127 = true /\ is_nan e4m3 255 = true /\ is_nan e4m3 254 = false. Proof. repeat split. Qed.
Example e5m2_largest : finite_value e5m2 123 57344. Proof. value. Qed.
Example e5m2_inf : decode e5m2 124 = MInf false /\ decode e5m2 252 = MInf true. Proof. split; reflexivity. Qed.
Example e8m0_one : finite_value e8m0 127 1. Proof. value. Qed.
Example e8m0_smallest : finite_value e8m0 0 (bpow radix2 (-127)).
Proof. do 3 eexists; split; [vm_compute; reflexivity|]. symmetry. apply F2R_bpow. Qed.
Example e8m0_nan : is_nan e8m0 255 = true. Proof. reflexivity. Qed.
Example e3m2_largest : finite_value e3m2 31 28. Proof. value. Qed.
Example e2m3_largest : finite_value e2m3 31 (15 / 2). Proof. value. Qed.
Example e2m1_largest : finite_value e2m1 7 6. Proof. value. Qed.
Example int8_largest : finite_value int8 127 (127 / 64). Proof. value. Qed.
Example int8_lowest : finite_value int8 128 (-2). Proof. value. Qed.
Example int8_minus_one : finite_value int8 192 (-1). Proof. value. Qed.
Example ue4m3_largest : finite_value ue4m3 126 448. Proof. value. Qed.
Example ue5m3_largest : finite_value ue5m3 254 114688. Proof. value. Qed.

(* A scale is the power of two that its format says, or NaN. *)
Lemma scale_is_power g : (exists bits bias, 0 <= bits /\ (g = Format bits 0 bias false false NoSpecials SignMagnitude \/
                                                  g = Format bits 0 bias false false NanAllOnes SignMagnitude)) ->
  forall c, is_code g c -> is_nan g c = false -> decode g c = MNumber false 1 (c - bias g).
Proof.
  intros [bits [bi [Hbits Hg]]] c Hc Hn.
  assert (Hm : magnitude g c = c) by (unfold magnitude; destruct Hg as [-> | ->]; apply Z.mod_small, Hc).
  unfold is_nan in Hn. rewrite Hm in Hn. unfold decode, meaning_of_magnitude. rewrite Hm, Hn.
  destruct Hg as [-> | ->]; unfold inf_magnitude, parts, is_negative, quantum, emin; cbn -[Z.div Z.modulo];
    rewrite Z.div_1_r, Z.mod_1_r; f_equal; lia.
Qed.
Example scales : Forall (fun g => forall c, is_code g c -> is_nan g c = false -> decode g c = MNumber false 1 (c - bias g))
  [e8m0; nscale; nscale5; lscale4; lscale6].
Proof.
  repeat apply Forall_cons; try apply Forall_nil; apply scale_is_power; do 2 eexists;
    (split; [|first [left; reflexivity|right; reflexivity]]; lia).
Qed.
Example only_e8m0_has_nan c :
  is_nan nscale c = false /\ is_nan nscale5 c = false /\ is_nan lscale4 c = false /\ is_nan lscale6 c = false.
Proof. repeat split. Qed.
(* One under the least and the greatest NSCALE, and under LSCALE 15. *)
Example one_under_nscale : meaning_of (Multiplied nscale5 fp16) 15360 = MNumber false 1024 (-26) /\
  meaning_of (Multiplied nscale5 fp16) (31 * 65536 + 15360) = MNumber false 1024 5.
Proof. split; reflexivity. Qed.
Example one_under_lscale : meaning_of (Divided lscale4 e4m3) (15 * 256 + 56) = MNumber false 8 (-18). Proof. reflexivity. Qed.

Example relu_keeps_one : meaning_of (Rectified fp16) 15360 = decode fp16 15360 /\ finite_value fp16 15360 1.
Proof. split; [reflexivity|value]. Qed.
Example relu_of_minus_one : finite_value fp16 48128 (-1) /\ meaning_of (Rectified fp16) 48128 = MNumber false 0 0.
Proof. split; [value|reflexivity]. Qed.
Example relu_of_minus_zero : meaning_of (Rectified fp16) 32768 = MNumber false 0 0. Proof. reflexivity. Qed.
Example relu_of_inf : meaning_of (Rectified fp16) 31744 = MInf false /\ meaning_of (Rectified fp16) 64512 = MNumber false 0 0.
Proof. split; reflexivity. Qed.
Example relu_of_nan : meaning_of (Rectified fp16) 65535 = decode fp16 65535 /\ is_nan fp16 65535 = true.
Proof. split; reflexivity. Qed.

(* Every code of an IEEE 754 format means what Flocq decodes from its bits. *)
Definition agrees_with_flocq (m : meaning) (x : full_float) : Prop :=
  match m, x with
  | MNan negative _, F754_nan negative' _ => negative = negative'
  | MInf negative, F754_infinity negative' => negative = negative'
  | MNumber negative m e, F754_zero negative' => negative = negative' /\ m = 0
  | MNumber negative m e, F754_finite negative' m' e' => negative = negative' /\ m = Zpos m' /\ e = e'
  | _, _ => False
  end.

Definition is_ieee (f : format) : Prop :=
  f = Format (exponent_bits f) (fraction_bits f) (2 ^ (exponent_bits f - 1) - 1) true true Ieee SignMagnitude.

Theorem ieee_is_flocq f x : well_formed f = true -> is_ieee f -> is_code f x ->
  agrees_with_flocq (decode f x) (binary_float_of_bits_aux (fraction_bits f) (exponent_bits f) x).
Proof.
  intros Hf Hi Hx. pose proof (hidden_positive f Hf) as Hh. pose proof (magnitudes_split f Hf) as HS.
  pose proof (exponent_positive f Hf) as He1. pose proof (fraction_nonneg f Hf) as Hf0.
  pose proof (magnitudes_positive f Hf) as HM.
  assert (Hieee : specials f = Ieee) by (apply (f_equal specials) in Hi; exact Hi).
  assert (Hc : coding f = SignMagnitude) by (apply (f_equal coding) in Hi; exact Hi).
  assert (Hsig : is_signed f = true) by (apply (f_equal is_signed) in Hi; exact Hi).
  assert (Hsub : has_subnormals f = true) by (apply (f_equal has_subnormals) in Hi; exact Hi).
  assert (Hb : bias f = 2 ^ (exponent_bits f - 1) - 1) by (apply (f_equal bias) in Hi; exact Hi).
  unfold is_code, codes in Hx. rewrite Hsig in Hx.
  unfold binary_float_of_bits_aux, split_bits.
  unfold decode, meaning_of_magnitude, is_negative, magnitude, nan_magnitude, inf_magnitude, parts, inf_code.
  rewrite Hieee, Hc, Hsig, Hsub. cbn [andb].
  rewrite (Z.mul_comm (2 ^ fraction_bits f) (2 ^ exponent_bits f)), <- HS.
  change (Zle_bool (magnitudes f) x) with (magnitudes f <=? x).
  set (h := 2 ^ fraction_bits f) in *. set (em := 2 ^ exponent_bits f) in *. set (negative := magnitudes f <=? x).
  assert (Hem : 2 <= em) by (change 2 with (2 ^ 1); apply Z.pow_le_mono_r; lia).
  pose proof (Z.rem_mul_r x h em ltac:(lia) ltac:(lia)) as Hmod.
  rewrite (Z.mul_comm h em), <- HS in Hmod.
  pose proof (Z.mod_pos_bound x h Hh) as HMb. pose proof (Z.mod_pos_bound (x / h) em ltac:(lia)) as HEb.
  set (M := x mod h) in *. set (E := (x / h) mod em) in *. set (a := x mod magnitudes f) in *.
  assert (HE : a / h = E) by (symmetry; apply Z.div_unique with M; lia).
  assert (HMa : a mod h = M) by (symmetry; apply Z.mod_unique with E; lia).
  rewrite HE, HMa.
  assert (Hemin : SpecFloat.emin (fraction_bits f + 1) (2 ^ (exponent_bits f - 1)) = quantum f).
  { unfold SpecFloat.emin, quantum, emin. rewrite Hsub, Hb. lia. }
  rewrite ?Hemin.
  destruct (Zeq_bool E 0) eqn:E0.
  - apply Zeq_bool_eq in E0.
    replace (magnitudes f - h <? a) with false by (symmetry; apply Z.ltb_ge; nia).
    replace (a =? magnitudes f - h) with false by (symmetry; apply Z.eqb_neq; nia).
    rewrite E0. cbn [Z.eqb fst snd]. destruct M as [|p|p]; simpl; auto; lia.
  - apply Zeq_bool_neq in E0. change (Zeq_bool E (em - 1)) with (Zeq_bool E (em - 1)).
    destruct (Zeq_bool E (em - 1)) eqn:E1.
    + apply Zeq_bool_eq in E1.
      destruct (Z.eq_dec M 0) as [M0|M0].
      * rewrite M0. replace (magnitudes f - h <? a) with false by (symmetry; apply Z.ltb_ge; nia).
        replace (a =? magnitudes f - h) with true by (symmetry; apply Z.eqb_eq; nia). reflexivity.
      * replace (magnitudes f - h <? a) with true by (symmetry; apply Z.ltb_lt; nia).
        destruct M as [|p|p]; try lia. reflexivity.
    + apply Zeq_bool_neq in E1.
      replace (magnitudes f - h <? a) with false by (symmetry; apply Z.ltb_ge; nia).
      replace (a =? magnitudes f - h) with false by (symmetry; apply Z.eqb_neq; nia).
      replace (E =? 0) with false by (symmetry; apply Z.eqb_neq; exact E0). cbn [fst snd].
      destruct (M + h) as [|p|p] eqn:P; try lia. simpl. repeat split; lia.
Qed.

Corollary fp64_is_binary64 x : is_code fp64 x -> agrees_with_flocq (decode fp64 x) (binary_float_of_bits_aux 52 11 x).
Proof. apply (ieee_is_flocq fp64); reflexivity. Qed.
Corollary fp32_is_binary32 x : is_code fp32 x -> agrees_with_flocq (decode fp32 x) (binary_float_of_bits_aux 23 8 x).
Proof. apply (ieee_is_flocq fp32); reflexivity. Qed.
Corollary fp16_is_binary16 x : is_code fp16 x -> agrees_with_flocq (decode fp16 x) (binary_float_of_bits_aux 10 5 x).
Proof. apply (ieee_is_flocq fp16); reflexivity. Qed.
Corollary bf16_is_binary x : is_code bf16 x -> agrees_with_flocq (decode bf16 x) (binary_float_of_bits_aux 7 8 x).
Proof. apply (ieee_is_flocq bf16); reflexivity. Qed.
Corollary e5m2_is_binary x : is_code e5m2 x -> agrees_with_flocq (decode e5m2 x) (binary_float_of_bits_aux 2 5 x).
Proof. apply (ieee_is_flocq e5m2); reflexivity. Qed.

(* What the rules divide by, of E4M3, E5M2 and INT8; and the scales of some amaxes. *)
Definition by_rule (r : rule_choice) (a : arithmetic_choice) : behaviour := choose (TRule r) (choose (TArithmetic a) defaults).
Definition divides_by (element : format) (r : rule_choice) (v : R) : Prop :=
  number false (fst (divisor element r)) (snd (divisor element r)) = v.
Ltac divided :=
  unfold divides_by;
  match goal with |- context [divisor ?element ?r] => let d := eval vm_compute in (divisor element r) in change (divisor element r) with d end;
  unfold number, F2R; simpl; lra.
Example e4m3_divisors : divides_by e4m3 OcpFloor 256 /\ divides_by e4m3 Rceil 448 /\ divides_by e4m3 EvenFbgemm 496 /\
  divides_by e4m3 Tosa 464 /\ divides_by e4m3 Neuron 128 /\ divides_by e4m3 P3109 1.
Proof. repeat split; divided. Qed.
Example e5m2_divisors : divides_by e5m2 OcpFloor 32768 /\ divides_by e5m2 Rceil 57344 /\ divides_by e5m2 EvenFbgemm 61440 /\
  divides_by e5m2 Tosa 30720.
Proof. repeat split; divided. Qed.
Example int8_divisors : divides_by int8 OcpFloor 1 /\ divides_by int8 Rceil (127 / 64).
Proof. repeat split; divided. Qed.

Lemma scale_is element f b x c : well_formed_scale element f = true -> 0 <= x < codes f -> is_code e8m0 c ->
  scale_permit element b (outcome_of element f b x) = PCode c -> forall c', is_code e8m0 c' -> (right_scale element f b x c' <-> c' = c).
Proof. intros Hs Hx Hc H c' Hc'. rewrite (scale_correct element f Hs b x c' Hx Hc'), H. reflexivity. Qed.
Ltac scale := intros; apply scale_is; [reflexivity|split; [discriminate|reflexivity]|split; [discriminate|reflexivity]|vm_compute; reflexivity|assumption].
(* An amax of 448 has the scale 1; one of 449 has 2 where no element may overflow. *)
Example floor_of_448 c : is_code e8m0 c -> (right_scale e4m3 amax_fp32 (by_rule OcpFloor Exact) 1138753536 c <-> c = 127). Proof. scale. Qed.
Example ceil_of_448 c : is_code e8m0 c -> (right_scale e4m3 amax_fp32 (by_rule Rceil Fp32Multiply) 1138753536 c <-> c = 127). Proof. scale. Qed.
Example ceil_of_449 c : is_code e8m0 c -> (right_scale e4m3 amax_fp32 (by_rule Rceil Fp32Multiply) 1138786304 c <-> c = 128). Proof. scale. Qed.
Example floor_of_449 c : is_code e8m0 c -> (right_scale e4m3 amax_fp32 (by_rule OcpFloor Exact) 1138786304 c <-> c = 127). Proof. scale. Qed.
Example scale_of_nothing c : is_code e8m0 c -> (right_scale e4m3 amax_bf16 (by_rule OcpFloor Exact) 0 c <-> c = 0). Proof. scale. Qed.

(* Flags of FP32 to E4M3, as IEEE 754 has them: of 1, of 1.0625, of the tie above 448 and beyond it, of tiny numbers, of NaN and Inf. *)
Lemma fp32_is_not_embedded : specials fp32 = Ieee -> (false = true <-> embeds (Plain fp32) e4m3).
Proof. intros _. pose proof (embedding_false (Plain fp32) e4m3 eq_refl eq_refl eq_refl). intuition discriminate. Qed.
Lemma flags_are b x c : 0 <= x < codes fp32 -> flags_permit fp32 e4m3 false b (flag_outcome_of fp32 e4m3 (rounding b) x) = PCode c ->
  forall c', right_flags fp32 e4m3 b x c' <-> c' = c.
Proof. intros Hx H c'. rewrite (flags_correct fp32 e4m3 eq_refl false fp32_is_not_embedded b x c' Hx), H. reflexivity. Qed.
Ltac flag := apply flags_are; [split; [discriminate|reflexivity]|vm_compute; reflexivity].
Example flags_of_one c : right_flags fp32 e4m3 defaults 1065353216 c <-> c = 0. Proof. flag. Qed.
Example flags_of_inexact c : right_flags fp32 e4m3 defaults 1065877504 c <-> c = flag_inexact. Proof. flag. Qed.
Example flags_of_464 c : right_flags fp32 e4m3 defaults 1139277824 c <-> c = flag_inexact. Proof. flag. Qed.
Example flags_beyond_464 c : right_flags fp32 e4m3 defaults 1139277825 c <-> c = flag_overflow + flag_inexact. Proof. flag. Qed.
Example flags_of_tiny c : right_flags fp32 e4m3 defaults 1 c <-> c = flag_underflow + flag_inexact. Proof. flag. Qed.
Example flags_of_signalling c : right_flags fp32 e4m3 defaults 2139095041 c <-> c = flag_invalid. Proof. flag. Qed.
Example flags_of_quiet c : right_flags fp32 e4m3 defaults 2143289344 c <-> c = 0. Proof. flag. Qed.
Example no_flags_of_inf c : right_flags fp32 e4m3 defaults 2139095040 c <-> c = 0. Proof. flag. Qed.
