(* SPDX-License-Identifier: Apache-2.0 *)
(* What the checker makes of an amax is what Scales.v says, and quotients keep the order of amaxes. *)
From Coq Require Import ZArith Reals Bool List Lia Lra.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker Outcome Between Sound Scales Ratio ScaleChecker.
Import ListNotations.
Open Scope Z_scope.

(* Numbers. *)
Lemma number_zero e : number false 0 e = 0%R.
Proof. apply F2R_0. Qed.

Lemma ratio_one m e : ratio m e 1 = number false m e.
Proof. unfold ratio. field. Qed.

Lemma is_less_iff m e m' e' : is_less m e m' e' = true <-> (number false m e < number false m' e')%R.
Proof.
  unfold is_less. cbv zeta. set (k := Z.min e e').
  assert (H : forall m e, k <= e -> number false m e = (IZR (Z.shiftl m (e - k)) * bpow radix2 k)%R).
  { intros n j Hj. rewrite number_IZR, shiftl_IZR by lia. rewrite Rmult_assoc, <- bpow_plus. f_equal. f_equal. lia. }
  rewrite (H m e), (H m' e') by lia. pose proof (bpow_gt_0 radix2 k) as B. rewrite Z.ltb_lt. split.
  - intros L. apply Rmult_lt_compat_r; [exact B|now apply IZR_lt].
  - intros L. apply lt_IZR. now apply Rmult_lt_reg_r with (1 := B).
Qed.

Lemma rounded_zero t r : rounded t r 0 = 0%R.
Proof.
  unfold rounded, round. unfold scaled_mantissa. rewrite Rmult_0_l.
  assert (to_integer t r 0 0 = 0) as -> by apply (@Zrnd_IZR _ (valid_to_integer t r 0) 0). apply F2R_0.
Qed.

(* What an amount stands for. *)
Inductive denotes : amount -> extended -> Prop :=
  | DZero : denotes AZero (Finite 0)
  | DInf : denotes AInf Infinite
  | DRatio m e d : 0 < m -> 0 < d -> denotes (ARatio m e d) (Finite (ratio m e d)).

Lemma denotes_ratio m e d v : 0 < m -> 0 < d -> v = ratio m e d -> denotes (ARatio m e d) (Finite v).
Proof. intros Hm Hd ->. now constructor. Qed.

Lemma of_parts_denotes t a : well_formed t = true -> 0 <= a -> denotes (of_parts (fast_parts t a)) (Finite (magnitude_value t a)).
Proof.
  intros Hwf Ha. rewrite fast_parts_eq by exact Hwf. unfold of_parts, magnitude_value.
  pose proof (parts_nonneg t Hwf a Ha) as Hp. destruct (parts t a) as [m e]. cbn [fst snd] in *.
  destruct (Z.eqb_spec m 0) as [->|N].
  - rewrite number_zero. constructor.
  - rewrite <- ratio_one. constructor; lia.
Qed.

Lemma largest_value_nonneg t : well_formed t = true -> (0 <= largest_value t)%R.
Proof.
  intros Hwf. change (largest_value t) with (magnitude_value t (max_code t)). apply magnitude_value_nonneg; [exact Hwf|].
  apply max_code_bounds, Hwf.
Qed.

Lemma in_format_zero t r : well_formed t = true -> in_format t r 0 = Finite 0.
Proof.
  intros Hwf. unfold in_format. cbv zeta. rewrite rounded_zero. rewrite Rle_bool_true by (apply largest_value_nonneg, Hwf). reflexivity.
Qed.

(* A format of amaxes on their way. *)
Definition is_arithmetic (t : format) : Prop :=
  well_formed t = true /\ coding t = SignMagnitude /\ has_subnormals t = true /\ fraction_bits t <> 0.

Lemma amount_in_denotes t r m e d : is_arithmetic t -> 0 < m -> 0 < d ->
  denotes (amount_in t r m e d) (in_format t r (ratio m e d)).
Proof.
  intros [Hwf [Hc [Hsub _]]] Hm Hd. unfold amount_in, in_format. cbv zeta.
  destruct (round_ratio_correct t Hwf r m e d Hc Hm Hd (or_introl Hsub)) as [Ha ->].
  set (a := round_ratio t r m e d) in *.
  change (largest_value t) with (magnitude_value t (max_code t)).
  pose proof (max_code_bounds t Hwf) as Hmax.
  destruct (Z.ltb_spec (max_code t) a) as [L|L].
  - rewrite Rle_bool_false; [constructor|]. apply magnitude_value_lt; [exact Hwf|lia|exact L].
  - rewrite Rle_bool_true; [now apply of_parts_denotes|]. apply magnitude_value_le; [exact Hwf|lia|exact L].
Qed.

Lemma fp32_arithmetic : is_arithmetic fp32.
Proof. repeat split; discriminate. Qed.
Lemma bf16_arithmetic : is_arithmetic bf16.
Proof. repeat split; discriminate. Qed.

(* Order. *)
Definition extended_le (x y : extended) : Prop :=
  match y with
  | Infinite => True
  | Finite w => match x with Finite v => (v <= w)%R | Infinite => False end
  end.

Lemma in_format_le t r v w : is_arithmetic t -> (v <= w)%R -> extended_le (in_format t r v) (in_format t r w).
Proof.
  intros [Hwf [_ [_ Hf]]] H. unfold in_format. cbv zeta.
  pose proof (rounded_le t Hwf r v w (or_introl Hf) H) as Hr.
  case (Rle_bool_spec (rounded t r w)); intros Hw; [|exact I].
  rewrite Rle_bool_true by lra. exact Hr.
Qed.

Section Scale.
Variables (element f : format).
Hypothesis Hscale : well_formed_scale element f = true.

Lemma scale_facts :
  well_formed f = true /\ is_signed f = false /\ has_subnormals f = true /\ coding f = SignMagnitude /\ specials f = Ieee /\
  1 <= fraction_bits element <= 52 /\ 0 < fst (largest_element element) /\
  (exponent_bits f = 8 /\ bias f = 127 \/ (number false least_m least_e <= magnitude_value f 1)%R).
Proof.
  unfold well_formed_scale in Hscale. rewrite !andb_true_iff, orb_true_iff, andb_true_iff, !Z.leb_le, Z.ltb_lt, !Z.eqb_eq in Hscale.
  destruct Hscale as [[[[[[[[H1 H2] H3] H4] H5] H6] H7] H8] H9].
  apply negb_true_iff in H2. destruct (coding f); [|discriminate]. destruct (specials f); try discriminate.
  repeat split; auto. destruct H9 as [H9|H9]; [left; exact H9|right].
  apply negb_true_iff in H9. apply Rnot_lt_le. intros C. apply is_less_iff in C. unfold magnitude_value in C. congruence.
Qed.

Lemma divisor_positive r : 0 < fst (divisor element r).
Proof.
  destruct scale_facts as [_ [_ [_ [_ [_ [Hfb [Hm _]]]]]]].
  assert (0 < overflow_tie element).
  { unfold overflow_tie. assert (0 <= fst (largest_element element) * 2 ^ (snd (largest_element element) - half_unit element));
      [|lia]. apply Z.mul_nonneg_nonneg; [lia|apply Z.pow_nonneg; lia]. }
  assert (2 ^ 2 <= 2 ^ (fraction_bits element + 2)) by (apply Z.pow_le_mono_r; lia).
  destruct r; simpl fst; try lia; try exact Hm. destruct largest_is_even; simpl fst; assumption.
Qed.

Section Selection.
Variable b : behaviour.

Lemma raised_eq m e : amount_raised b m e = is_raised b (number false m e).
Proof.
  unfold amount_raised, is_raised. destruct (least_amax b); [reflexivity|].
  change least with (number false least_m least_e).
  case Rlt_bool_spec; intros H.
  - now apply is_less_iff.
  - apply not_true_is_false. rewrite is_less_iff. lra.
Qed.

Lemma first_format_arithmetic v : is_arithmetic (first_format element f b v).
Proof.
  destruct scale_facts as [Hf [_ [_ [_ [_ [Hfb _]]]]]].
  pose proof (exponent_positive f Hf) as He. unfold first_format. cbv zeta.
  set (g := if is_raised b v then fp32 else f).
  assert (Hg : 1 <= exponent_bits g) by (unfold g; destruct (is_raised b v); [discriminate|exact He]).
  repeat split; cbn [coding has_subnormals fraction_bits]; try lia.
  unfold well_formed. cbn [fraction_bits exponent_bits has_subnormals is_signed coding specials].
  rewrite !andb_true_iff, !Z.leb_le, orb_true_l.
  replace (fraction_bits element =? 0) with false by (symmetry; apply Z.eqb_neq; lia). repeat split; lia.
Qed.

Lemma first_denotes m e : 0 <= m -> denotes (amount_first element f b m e) (rounded_first element f b (number false m e)).
Proof.
  intros Hm. unfold amount_first, rounded_first. cbv zeta. rewrite raised_eq.
  change (first_grid element f (is_raised b (number false m e))) with (first_format element f b (number false m e)).
  set (t := first_format element f b (number false m e)). pose proof (first_format_arithmetic (number false m e)) as Ht.
  fold t in Ht. unfold raised.
  set (m' := if is_raised b (number false m e) then least_m else m).
  set (e' := if is_raised b (number false m e) then least_e else e).
  assert (Hv : (if is_raised b (number false m e) then least else number false m e) = number false m' e').
  { unfold m', e'. destruct (is_raised b (number false m e)); reflexivity. }
  assert (Hm' : 0 <= m') by (unfold m'; destruct (is_raised b (number false m e)); [discriminate|exact Hm]).
  rewrite Hv.
  destruct (Z.eqb_spec m' 0) as [Z0|N].
  - rewrite Z0, number_zero. rewrite in_format_zero by apply Ht. destruct (rule b); constructor.
  - assert (Hplain : denotes (ARatio m' e' 1) (Finite (number false m' e'))) by (rewrite <- ratio_one; constructor; lia).
    destruct (rule b); try exact Hplain. rewrite <- ratio_one. apply amount_in_denotes; [exact Ht|lia|lia].
Qed.

Lemma divided_denotes a x : denotes a x ->
  denotes (amount_divided element b a)
    (match x with
     | Finite w => quotient b w (number false (fst (divisor element (rule b))) (snd (divisor element (rule b))))
     | Infinite => Infinite
     end).
Proof.
  intros H. unfold amount_divided. pose proof (divisor_positive (rule b)) as Hd.
  destruct (divisor element (rule b)) as [dm de]. cbn [fst snd] in *.
  assert (HD : (0 < IZR dm)%R) by now apply IZR_lt.
  pose proof (bpow_gt_0 radix2 de) as Hde.
  assert (Hrecip : (/ number false dm de = ratio 1 (- de) dm)%R).
  { unfold ratio. rewrite !number_IZR, bpow_opp. field. lra. }
  destruct H as [| |m e d Hm Hd0].
  - (* zero *)
    unfold quotient, Rdiv. rewrite Rmult_0_l, rounded_zero, !Rmult_0_l.
    rewrite !in_format_zero by reflexivity. destruct (arithmetic b); constructor.
  - constructor.
  - assert (HD0 : (0 < IZR d)%R) by now apply IZR_lt.
    assert (Hq : forall m e d, 0 < d -> (ratio m e d / number false dm de)%R = ratio m (e - de) (d * dm)).
    { intros m' e' d' Hd'. assert (0 < IZR d')%R by now apply IZR_lt. unfold ratio. rewrite !number_IZR, mult_IZR.
      replace (e' - de) with (e' + - de) by lia. rewrite bpow_plus, bpow_opp. field. lra. }
    unfold quotient. destruct (arithmetic b).
    + rewrite Hq by exact Hd0. constructor; [exact Hm|nia].
    + (* times the reciprocal *)
      destruct (round_ratio_correct fp32 eq_refl NearestEven 1 (- de) dm eq_refl ltac:(lia) Hd (or_introl eq_refl)) as [Ha Hr].
      rewrite <- Hrecip in Hr. rewrite Hr. rewrite fast_parts_eq by reflexivity.
      unfold magnitude_value. pose proof (parts_nonneg fp32 eq_refl _ Ha) as Hp.
      destruct (parts fp32 (round_ratio fp32 NearestEven 1 (- de) dm)) as [rm re]. cbn [fst snd] in *.
      destruct (Z.eqb_spec rm 0) as [->|N].
      { rewrite number_zero, Rmult_0_r, in_format_zero by reflexivity. constructor. }
      replace (ratio m e d * number false rm re)%R with (ratio (m * rm) (e + re) d).
      { apply amount_in_denotes; [apply fp32_arithmetic|nia|exact Hd0]. }
      unfold ratio. rewrite !number_IZR, mult_IZR, bpow_plus. field. lra.
    + rewrite Hq by exact Hd0. apply amount_in_denotes; [apply fp32_arithmetic|exact Hm|nia].
    + destruct (round_ratio_correct bf16 eq_refl NearestEven m e d eq_refl Hm Hd0 (or_introl eq_refl)) as [Ha Hr].
      rewrite Hr. pose proof (of_parts_denotes bf16 _ eq_refl Ha) as Hp.
      set (v := magnitude_value bf16 _) in *. clearbody v.
      inversion Hp as [Hz Hv| |m' e' d' Hm' Hd' Hz Hv].
      * unfold Rdiv. rewrite Rmult_0_l, in_format_zero by reflexivity. constructor.
      * rewrite Hq by exact Hd'. apply amount_in_denotes; [apply bf16_arithmetic|exact Hm'|nia].
Qed.

Lemma quotient_le v w d : (0 < d)%R -> (v <= w)%R -> extended_le (quotient b v d) (quotient b w d).
Proof.
  intros Hd H. assert (Hi : (0 < / d)%R) by now apply Rinv_0_lt_compat.
  assert (Hdiv : forall v w, (v <= w)%R -> (v / d <= w / d)%R) by (intros; apply Rmult_le_compat_r; lra).
  unfold quotient. destruct (arithmetic b).
  - apply Hdiv, H.
  - apply in_format_le; [apply fp32_arithmetic|]. apply Rmult_le_compat_r; [|exact H].
    rewrite <- (rounded_zero fp32 NearestEven). apply rounded_le; [reflexivity|left; discriminate|lra].
  - apply in_format_le; [apply fp32_arithmetic|]. apply Hdiv, H.
  - apply in_format_le; [apply bf16_arithmetic|]. apply Hdiv. apply rounded_le; [reflexivity|left; discriminate|exact H].
Qed.

Lemma amax_quotient_le v w : (v <= w)%R -> first_format element f b v = first_format element f b w ->
  extended_le (amax_quotient element f b v) (amax_quotient element f b w).
Proof.
  intros H Hsame. unfold amax_quotient, rounded_first. rewrite Hsame.
  assert (Hd : (0 < number false (fst (divisor element (rule b))) (snd (divisor element (rule b))))%R)
    by (apply F2R_gt_0, divisor_positive).
  set (d := number false _ _) in *.
  assert (Hraised : (raised b v <= raised b w)%R).
  { unfold raised, is_raised. destruct (least_amax b); [exact H|].
    case Rlt_bool_spec; intros H1; case Rlt_bool_spec; intros H2; lra. }
  assert (Hfirst : extended_le (in_format (first_format element f b w) NearestAway (raised b v))
                               (in_format (first_format element f b w) NearestAway (raised b w)))
    by (apply in_format_le; [apply first_format_arithmetic|exact Hraised]).
  destruct (rule b); try (apply quotient_le; [exact Hd|exact Hraised]).
  destruct (in_format _ _ (raised b w)) as [w'|]; [|exact I].
  destruct (in_format _ _ (raised b v)) as [v'|]; [|contradiction].
  apply quotient_le; [exact Hd|exact Hfirst].
Qed.
End Selection.
End Scale.
