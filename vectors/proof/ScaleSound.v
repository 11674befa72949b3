(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker of scales is sound: a table that it accepts is right for every selection and every amax. *)
From Coq Require Import ZArith Reals Bool List Lia Lra.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker Outcome Between Sound Scales Ratio ScaleChecker ScaleSteps ScaleRank.
Import ListNotations.
Open Scope Z_scope.

Lemma scale_outcome_eqb_eq x y : scale_outcome_eqb x y = true -> x = y.
Proof.
  destruct x, y; simpl; try discriminate; try reflexivity. intros H. apply outcome_eqb_eq in H. now subst.
Qed.

Section Scale.
Variables (element f : format).
Hypothesis Hscale : well_formed_scale element f = true.

Lemma formed : well_formed f = true.
Proof. apply (scale_facts element f Hscale). Qed.

(* A code without a sign is its magnitude. *)
Lemma decode_magnitude x : 0 <= x < codes f -> decode f x = meaning_of_magnitude f false x /\ x < magnitudes f.
Proof.
  destruct (scale_facts element f Hscale) as [_ [Hs [_ [Hc _]]]]. unfold codes. rewrite Hs. intros Hx. split; [|lia].
  unfold decode, is_negative, magnitude. rewrite Hs, Hc. cbn [andb]. rewrite Z.mod_small by lia. reflexivity.
Qed.

Section Selection.
Variable b : behaviour.

Definition is_number (x : Z) : Prop := nan_magnitude f x = false.
Definition amount_of (x : Z) : amount :=
  match decode f x with MNumber _ m e => amount_divided element b (amount_first element f b m e) | _ => AInf end.
Definition extended_of (x : Z) : extended :=
  match decode f x with MNumber _ m e => amax_quotient element f b (number false m e) | _ => Infinite end.

Lemma outcome_of_number x : 0 <= x < codes f -> is_number x -> outcome_of element f b x = amount_outcome element b (amount_of x).
Proof.
  intros Hx Hn. unfold outcome_of, amount_of. rewrite fast_decode_eq by (apply formed || lia).
  destruct (decode_magnitude x Hx) as [-> _]. unfold meaning_of_magnitude. rewrite Hn.
  destruct (inf_magnitude f x); reflexivity.
Qed.

Lemma amount_denotes x : 0 <= x < codes f -> is_number x -> denotes (amount_of x) (extended_of x).
Proof.
  intros Hx Hn. unfold amount_of, extended_of. destruct (decode_magnitude x Hx) as [-> _]. unfold meaning_of_magnitude. rewrite Hn.
  destruct (inf_magnitude f x); [constructor|]. unfold amax_quotient.
  apply divided_denotes with f; [exact Hscale|]. apply first_denotes; [exact Hscale|].
  apply parts_nonneg; [apply formed|lia].
Qed.

(* Above zero all is in order. *)
Lemma first_format_same x y : 0 < x -> x <= y ->
  first_format element f b (magnitude_value f x) = first_format element f b (magnitude_value f y).
Proof.
  intros Hx Hy. destruct (scale_facts element f Hscale) as [Hf [_ [_ [_ [_ [_ [_ [[He Hb]|Hleast]]]]]]]].
  - unfold first_format. cbv zeta. destruct (is_raised b (magnitude_value f x)), (is_raised b (magnitude_value f y));
      rewrite ?He, ?Hb; reflexivity.
  - assert (Hnot : forall z, 0 < z -> is_raised b (magnitude_value f z) = false).
    { intros z Hz. unfold is_raised. destruct (least_amax b); [reflexivity|]. apply Rlt_bool_false.
      change least with (number false least_m least_e). apply Rle_trans with (1 := Hleast).
      apply magnitude_value_le; [exact Hf|lia|lia]. }
    unfold first_format. cbv zeta. rewrite !Hnot by lia. reflexivity.
Qed.

Lemma extended_of_le x y : 0 < x -> x <= y < codes f -> is_number y -> extended_le (extended_of x) (extended_of y).
Proof.
  intros Hx Hy Hn. unfold extended_of.
  destruct (decode_magnitude x ltac:(lia)) as [-> Bx]. destruct (decode_magnitude y ltac:(lia)) as [-> By].
  unfold meaning_of_magnitude. unfold is_number in Hn. rewrite Hn.
  destruct (inf_magnitude f y) eqn:I.
  { exact Logic.I. }
  pose proof (finite_magnitude_down (Plain f) x y Hn I (conj (proj1 Hy) By)) as [N' I']. cbn [value_format] in N', I'. rewrite N', I'.
  apply amax_quotient_le; [exact Hscale|apply (magnitude_value_le f formed); lia|].
  apply first_format_same; lia.
Qed.

Lemma number_down x y : is_number y -> x <= y < magnitudes f -> is_number x.
Proof.
  intros Hn Hx. unfold is_number in *. destruct (nan_magnitude f x) eqn:N; [|reflexivity].
  destruct (nan_magnitude_up (Plain f) formed x y N Hx) as [C _]. cbn [value_format] in C. congruence.
Qed.

Lemma amount_between x y z : 0 < x -> x <= z <= y -> y < codes f -> is_number y ->
  amount_outcome element b (amount_of x) = amount_outcome element b (amount_of y) ->
  amount_outcome element b (amount_of z) = amount_outcome element b (amount_of y).
Proof.
  intros Hx Hz Hy Hn H.
  destruct (decode_magnitude y ltac:(lia)) as [_ By].
  pose proof (amount_denotes x ltac:(lia) (number_down x y Hn ltac:(lia))) as Dx.
  pose proof (amount_denotes y ltac:(lia) Hn) as Dy.
  pose proof (amount_denotes z ltac:(lia) (number_down z y Hn ltac:(lia))) as Dz.
  pose proof (extended_of_le x z Hx ltac:(lia) (number_down z y Hn ltac:(lia))) as L1.
  pose proof (extended_of_le z y ltac:(lia) ltac:(lia) Hn) as L2.
  destruct Dx as [| |m1 e1 d1 Hm1 Hd1]; destruct Dy as [| |m2 e2 d2 Hm2 Hd2]; try discriminate H;
    destruct Dz as [| |m e d Hm Hd]; cbn [extended_le] in L1, L2; try reflexivity; try contradiction.
  - pose proof (ratio_positive m e d Hm Hd). exfalso. lra.
  - pose proof (ratio_positive m1 e1 d1 Hm1 Hd1). exfalso. lra.
  - cbn [amount_outcome] in *. injection H as H. f_equal. now apply ratio_between with m1 e1 d1.
Qed.

(* The outcome is what Scales.v says. *)
Lemma inf_iff' c : scale_of_inf b c <-> permits e8m0 (scale_permit element b SInf) c.
Proof. unfold scale_of_inf. cbn [scale_permit]. destruct (overflow b); [reflexivity|apply special_iff]. Qed.

Theorem scale_correct x c : 0 <= x < codes f -> is_code e8m0 c ->
  (right_scale element f b x c <-> permits e8m0 (scale_permit element b (outcome_of element f b x)) c).
Proof.
  intros Hx Hc. unfold right_scale. destruct (nan_magnitude f x) eqn:N.
  - assert (outcome_of element f b x = SNan) as ->.
    { unfold outcome_of. rewrite fast_decode_eq by (apply formed || lia). destruct (decode_magnitude x Hx) as [-> _].
      unfold meaning_of_magnitude. rewrite N. reflexivity. }
    destruct (decode_magnitude x Hx) as [-> _]. unfold meaning_of_magnitude. rewrite N. cbn [scale_permit].
    rewrite (nan_iff e8m0 b). reflexivity.
  - rewrite outcome_of_number by assumption. pose proof (amount_denotes x Hx N) as D. unfold extended_of in D.
    destruct (decode_magnitude x Hx) as [E _]. rewrite E in *. unfold meaning_of_magnitude in *. rewrite N in *.
    destruct (inf_magnitude f x) eqn:I.
    + inversion D. cbn [amount_outcome]. apply inf_iff'.
    + set (q := amax_quotient _ _ _ _) in *. clearbody q.
      destruct D as [| |m e d Hm Hd]; cbn [amount_outcome].
      * cbn [scale_permit permits]. unfold scale_of_zero, zero_code. destruct (zero b); intuition congruence.
      * apply inf_iff'.
      * pose proof (ratio_positive m e d Hm Hd). cbn [scale_permit].
        rewrite <- (ratio_outcome_iff element b m e d c Hc Hm Hd). intuition lra.
Qed.
End Selection.

Lemma reading_scale b x : outcome_of element f (reading b) x = outcome_of element f b x.
Proof. destruct b. reflexivity. Qed.

Lemma scale_ok_all bs b r z : scale_ok element f bs b r = true -> 0 <= first r -> last r < codes f -> covers r z ->
  scale_outcome_ok element bs r (outcome_of element f b z) = true.
Proof.
  unfold scale_ok, covers. cbv zeta. intros H Hf Hl Hz. apply andb_true_iff in H. destruct H as [Hok H].
  destruct (Z.eqb_spec (first r) (last r)) as [E|E]; [replace z with (last r) by lia; exact Hok|].
  apply andb_true_iff in H. destruct H as [Hends Hzero].
  apply scale_outcome_eqb_eq in Hends. set (x := if first r =? 0 then 1 else first r) in *.
  enough (outcome_of element f b z = outcome_of element f b (last r)) as -> by exact Hok.
  destruct (Z.eq_dec z 0) as [Z0|Z0].
  { subst z. replace (first r =? 0) with true in Hzero by (symmetry; apply Z.eqb_eq; lia).
    apply scale_outcome_eqb_eq in Hzero. symmetry. exact Hzero. }
  assert (Hx : 0 < x /\ x <= z) by (unfold x; destruct (Z.eqb_spec (first r) 0); lia).
  destruct (decode_magnitude (last r) ltac:(lia)) as [_ HM].
  destruct (nan_magnitude f (last r)) eqn:N.
  - (* NaNs *)
    assert (Hnan : forall y, 0 <= y < codes f -> nan_magnitude f y = true -> outcome_of element f b y = SNan).
    { intros y Hy Hn. unfold outcome_of. rewrite fast_decode_eq by (apply formed || lia). destruct (decode_magnitude y Hy) as [-> _].
      unfold meaning_of_magnitude. rewrite Hn. reflexivity. }
    rewrite (Hnan (last r)) in * by (auto; lia).
    assert (Nx : nan_magnitude f x = true).
    { destruct (nan_magnitude f x) eqn:Nx; [reflexivity|]. rewrite outcome_of_number in Hends by (auto; lia).
      destruct (amount_of b x); discriminate. }
    apply Hnan; [lia|]. apply (nan_magnitude_up (Plain f) formed x z Nx). cbn [value_format]. lia.
  - assert (Hnumber : forall y, 0 <= y <= last r -> is_number y) by (intros y Hy; apply number_down with (last r); [exact N|lia]).
    rewrite (outcome_of_number b (last r)), (outcome_of_number b x) in Hends by (apply Hnumber || idtac; lia).
    rewrite (outcome_of_number b (last r)), (outcome_of_number b z) by (apply Hnumber || idtac; lia).
    apply amount_between with x; auto; lia.
Qed.
End Scale.

Theorem check_scales_sound g : check_scales g = true -> scale_table_is_right g.
Proof.
  unfold check_scales. rewrite andb_true_iff. intros [Hscale H]. refine (check_rows_sound _ _ _ _ _ _ _ H).
  intros bs b r x c Hbs Hagrees Hok Hf Hl Hc Hcode.
  rewrite (scale_correct (element_of g) (amax_of g) Hscale b x c) by (unfold covers in Hc; lia || exact Hcode).
  pose proof (scale_ok_all (element_of g) (amax_of g) Hscale bs (reading b) r x Hok Hf Hl Hc) as Hall.
  rewrite reading_scale in Hall. unfold scale_outcome_ok in Hall. rewrite forallb_forall in Hall.
  specialize (Hall b Hbs). rewrite Hagrees in Hall. apply permit_eqb_eq in Hall. rewrite Hall. reflexivity.
Qed.
