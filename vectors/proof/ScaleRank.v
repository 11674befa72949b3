(* SPDX-License-Identifier: Apache-2.0 *)
(* The scale of a quotient is what Spec.v says, and scales keep the order of quotients. *)
From Coq Require Import ZArith Reals Bool List Lia Lra.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker Outcome Scales Ratio ScaleChecker ScaleSteps.
Open Scope Z_scope.

Notation smallest := (bpow radix2 (emin e8m0)).
Notation second := (bpow radix2 (emin e8m0 + 1)).

Lemma e8m0_formed : well_formed e8m0 = true.
Proof. reflexivity. Qed.

Lemma region_of_ratio m e d : 0 < m -> 0 < d ->
  (ratio_region m e d = 0 /\ (ratio m e d < smallest)%R) \/
  (ratio_region m e d = 1 /\ ratio m e d = smallest /\ emin e8m0 + 1 <= ratio_mag m e d) \/
  (ratio_region m e d = 2 /\ (smallest < ratio m e d < second)%R /\ emin e8m0 + 1 <= ratio_mag m e d) \/
  (ratio_region m e d = 3 /\ (second <= ratio m e d)%R /\ emin e8m0 + 1 <= ratio_mag m e d).
Proof.
  intros Hm Hd. unfold ratio_region. cbv zeta. destruct (ratio_mag_bounds m e d Hm Hd) as [Hlo Hhi].
  destruct (Z.leb_spec (ratio_mag m e d) (emin e8m0)) as [L|L].
  { left. split; [reflexivity|]. apply Rlt_le_trans with (1 := Hhi). now apply bpow_le. }
  destruct (Z.ltb_spec (emin e8m0 + 1) (ratio_mag m e d)) as [L'|L'].
  { do 3 right. split; [reflexivity|]. split; [|lia]. apply Rle_trans with (2 := Hlo). apply bpow_le. lia. }
  assert (E : ratio_mag m e d = emin e8m0 + 1) by lia. rewrite E in *.
  replace (emin e8m0 + 1 - 1) with (emin e8m0) in Hlo by lia.
  assert (HD : (0 < IZR d)%R) by now apply IZR_lt.
  set (j := e - emin e8m0).
  assert (Hv : ratio m e d = (IZR m * bpow radix2 j / IZR d * smallest)%R).
  { unfold ratio. rewrite number_IZR. replace e with (j + emin e8m0) by (unfold j; lia). rewrite bpow_plus. field. lra. }
  assert (Hiff : ratio m e d = smallest <-> (IZR m * bpow radix2 j = IZR d)%R).
  { rewrite Hv. pose proof (bpow_gt_0 radix2 (emin e8m0)) as B. split; intros H.
    - apply Rmult_eq_reg_r with smallest; [|lra]. apply Rmult_eq_reg_r with (/ IZR d)%R; [|apply Rinv_neq_0_compat; lra].
      transitivity (IZR m * bpow radix2 j / IZR d * smallest)%R; [field; lra|]. rewrite H. field. lra.
    - rewrite H. field. lra. }
  set (equal := if 0 <=? j then _ else _).
  assert (Hequal : equal = true <-> (IZR m * bpow radix2 j = IZR d)%R).
  { unfold equal. destruct (Z.leb_spec 0 j) as [J|J]; rewrite Z.eqb_eq.
    - rewrite <- shiftl_IZR by exact J. split; [now intros ->|apply eq_IZR].
    - pose proof (bpow_gt_0 radix2 j) as B. assert (Hs : IZR (Z.shiftl d (- j)) = (IZR d / bpow radix2 j)%R)
        by (rewrite shiftl_IZR by lia; rewrite bpow_opp; reflexivity).
      split; intros H.
      + apply (f_equal IZR) in H. rewrite Hs in H. rewrite H. field. lra.
      + apply eq_IZR. rewrite Hs, <- H. field. lra. }
  rewrite <- Hiff in Hequal. destruct equal.
  - right; left. split; [reflexivity|]. split; [now apply Hequal|lia].
  - right; right; left. split; [reflexivity|]. split; [|lia]. split; [|exact Hhi].
    destruct Hlo as [Hlo|Hlo]; [exact Hlo|]. symmetry in Hlo. apply Hequal in Hlo. discriminate.
Qed.

Lemma second_value : magnitude_value e8m0 1 = second.
Proof. unfold magnitude_value, number. simpl. apply F2R_bpow. Qed.

Section Selection.
Variables (element : format) (b : behaviour).
Notation how := (rounding_of element (rule b)).
Notation round := (round_ratio e8m0 how).

Lemma round_facts m e d : 0 < m -> 0 < d -> emin e8m0 + 1 <= ratio_mag m e d ->
  0 <= round m e d /\ rounded e8m0 how (ratio m e d) = magnitude_value e8m0 (round m e d).
Proof. intros Hm Hd H. apply round_ratio_correct; auto. Qed.

Lemma round_le m e d m' e' d' : 0 < m -> 0 < d -> 0 < m' -> 0 < d' ->
  emin e8m0 + 1 <= ratio_mag m e d -> emin e8m0 + 1 <= ratio_mag m' e' d' -> (ratio m e d <= ratio m' e' d')%R ->
  round m e d <= round m' e' d'.
Proof.
  intros Hm Hd Hm' Hd' H H' L. destruct (round_facts m e d Hm Hd H) as [A E]. destruct (round_facts m' e' d' Hm' Hd' H') as [A' E'].
  apply (magnitude_value_le_inv e8m0 e8m0_formed); [exact A|exact A'|]. rewrite <- E, <- E'.
  apply (rounded_le e8m0 e8m0_formed); [right|exact L].
  destruct (ratio_mag_bounds m e d Hm Hd) as [B _]. apply Rle_trans with (2 := B). apply bpow_le. lia.
Qed.

Lemma round_beyond m e d : 0 < m -> 0 < d -> emin e8m0 + 1 <= ratio_mag m e d -> (second <= ratio m e d)%R -> 1 <= round m e d.
Proof.
  intros Hm Hd H L. destruct (round_facts m e d Hm Hd H) as [A E].
  apply (magnitude_value_le_inv e8m0 e8m0_formed); [lia|exact A|]. rewrite second_value, <- E.
  assert (Hsecond : rounded e8m0 how second = second).
  { apply round_generic; [apply valid_to_integer|]. apply generic_format_bpow. vm_compute. discriminate. }
  rewrite <- Hsecond at 1. apply (rounded_le e8m0 e8m0_formed); [right; apply bpow_le; lia|exact L].
Qed.

(* Ranks of outcomes, in the order of quotients. *)
Definition rank (o : outcome) : Z :=
  match o with
  | OCode c => c
  | OOverflow _ => max_code e8m0 + 1
  | _ => -1
  end.
Lemma ratio_rank_le m e d m' e' d' : 0 < m -> 0 < d -> 0 < m' -> 0 < d' -> (ratio m e d <= ratio m' e' d')%R ->
  rank (ratio_outcome element b m e d) <= rank (ratio_outcome element b m' e' d').
Proof.
  intros Hm Hd Hm' Hd' L. unfold ratio_outcome. cbv zeta.
  assert (Hss : (smallest < second)%R) by (apply bpow_lt; lia).
  assert (HM : 1 <= max_code e8m0) by discriminate.
  set (rnd := fun m e d => if max_code e8m0 <? round m e d then OOverflow false else OCode (round m e d)).
  change (if max_code e8m0 <? round m e d then OOverflow false else OCode (round m e d)) with (rnd m e d).
  change (if max_code e8m0 <? round m' e' d' then OOverflow false else OCode (round m' e' d')) with (rnd m' e' d').
  assert (Hrank : forall m e d, rank (rnd m e d) = Z.min (round m e d) (max_code e8m0 + 1)).
  { intros. unfold rnd. destruct (Z.ltb_spec (max_code e8m0) (round m0 e0 d0)); cbn [rank]; lia. }
  pose proof (fun H H' => round_le m e d m' e' d' Hm Hd Hm' Hd' H H' L) as Hle.
  pose proof (round_facts m e d Hm Hd) as H0. pose proof (round_facts m' e' d' Hm' Hd') as H0'.
  pose proof (round_beyond m' e' d' Hm' Hd') as H1'.
  destruct (region_of_ratio m e d Hm Hd) as [[R V]|[[R [V K]]|[[R [V K]]|[R [V K]]]]];
  destruct (region_of_ratio m' e' d' Hm' Hd') as [[R' V']|[[R' [V' K']]|[[R' [V' K']]|[R' [V' K']]]]];
    rewrite R, R'; try (exfalso; lra); cbn [Z.eqb Pos.eqb];
    try specialize (H0 K); try specialize (H0' K'); try specialize (H1' K'); try specialize (Hle K K');
    try specialize (H1' V');
    destruct (lowest_binade b); cbn [rank]; rewrite ?Hrank; try lia.
Qed.

Lemma ratio_outcome_shape m e d : 0 < m -> 0 < d ->
  (ratio_outcome element b m e d = OZero false) \/ (ratio_outcome element b m e d = OOverflow false) \/
  (exists c, ratio_outcome element b m e d = OCode c /\ 0 <= c <= max_code e8m0).
Proof.
  intros Hm Hd. unfold ratio_outcome. cbv zeta. assert (HM : 1 <= max_code e8m0) by discriminate.
  assert (Hrnd : emin e8m0 + 1 <= ratio_mag m e d ->
    (if max_code e8m0 <? round m e d then OOverflow false else OCode (round m e d)) = OOverflow false \/
    exists c, (if max_code e8m0 <? round m e d then OOverflow false else OCode (round m e d)) = OCode c /\ 0 <= c <= max_code e8m0).
  { intros K. destruct (round_facts m e d Hm Hd K) as [A _].
    destruct (Z.ltb_spec (max_code e8m0) (round m e d)); [left; reflexivity|right; eexists; split; [reflexivity|lia]]. }
  assert (Hcode : forall c, 0 <= c <= 1 -> exists c', OCode c = OCode c' /\ 0 <= c' <= max_code e8m0)
    by (intros c Hc; exists c; split; [reflexivity|lia]).
  destruct (region_of_ratio m e d Hm Hd) as [[R V]|[[R [V K]]|[[R [V K]]|[R [V K]]]]]; rewrite R; cbn [Z.eqb Pos.eqb];
    try specialize (Hrnd K); destruct (lowest_binade b); auto; right; right; apply Hcode; lia.
Qed.

Lemma ratio_between m1 e1 d1 m e d m2 e2 d2 : 0 < m1 -> 0 < d1 -> 0 < m -> 0 < d -> 0 < m2 -> 0 < d2 ->
  (ratio m1 e1 d1 <= ratio m e d <= ratio m2 e2 d2)%R ->
  ratio_outcome element b m1 e1 d1 = ratio_outcome element b m2 e2 d2 ->
  ratio_outcome element b m e d = ratio_outcome element b m2 e2 d2.
Proof.
  intros Hm1 Hd1 Hm Hd Hm2 Hd2 [L1 L2] H.
  pose proof (ratio_rank_le _ _ _ _ _ _ Hm1 Hd1 Hm Hd L1) as R1. pose proof (ratio_rank_le _ _ _ _ _ _ Hm Hd Hm2 Hd2 L2) as R2.
  rewrite H in R1. assert (HM : 1 <= max_code e8m0) by discriminate.
  destruct (ratio_outcome_shape m e d Hm Hd) as [E|[E|[c [E C]]]]; destruct (ratio_outcome_shape m2 e2 d2 Hm2 Hd2) as [E2|[E2|[c2 [E2 C2]]]];
    rewrite E, E2 in *; cbn [rank] in *; try reflexivity; try (exfalso; lia). f_equal. lia.
Qed.

(* The outcome is what Spec.v says. *)
Notation b' := (with_rounding b how).
Lemma ratio_outcome_iff m e d c : is_code e8m0 c -> 0 < m -> 0 < d ->
  (number_result e8m0 b' false (ratio m e d) c <-> permits e8m0 (outcome_permit e8m0 false b' (ratio_outcome element b m e d)) c).
Proof.
  intros Hc Hm Hd.
  assert (Hrounding : rounding b' = how) by (destruct b; reflexivity).
  assert (Hlowest : lowest_binade b' = lowest_binade b) by (destruct b; reflexivity).
  assert (Hround : emin e8m0 + 1 <= ratio_mag m e d ->
    (rounded_result e8m0 b' false (ratio m e d) c <->
     permits e8m0 (outcome_permit e8m0 false b' (if max_code e8m0 <? round m e d then OOverflow false else OCode (round m e d))) c)).
  { intros K. destruct (round_facts m e d Hm Hd K) as [A E]. unfold rounded_result. cbv zeta. rewrite Hrounding, E.
    set (a := round m e d) in *. clearbody a.
    assert (Hpos : (0 < magnitude_value e8m0 a)%R).
    { apply Rlt_le_trans with (magnitude_value e8m0 0); [now apply magnitude_value_zero_positive|].
      apply (magnitude_value_le e8m0 e8m0_formed); lia. }
    rewrite Rabs_pos_eq by lra.
    change (largest e8m0 b' false) with (magnitude_value e8m0 (max_code e8m0)).
    pose proof (max_code_bounds e8m0 e8m0_formed) as Hmax.
    destruct (Z.ltb_spec (max_code e8m0) a) as [L|L].
    - pose proof (magnitude_value_lt e8m0 e8m0_formed (max_code e8m0) a ltac:(lia) L).
      rewrite <- (overflow_iff e8m0 false b' false c). intuition lra.
    - pose proof (magnitude_value_le e8m0 e8m0_formed a (max_code e8m0) A L) as Hle.
      pose proof (finite_value_iff e8m0 e8m0_formed b' false a c Hc ltac:(discriminate) (conj A L) Hpos) as Hfin.
      cbn [cond_Ropp] in Hfin. change (signed_code e8m0 false a) with a in Hfin. cbn [outcome_permit permits].
      rewrite <- Hfin. intuition lra. }
  assert (Hss : (smallest < second)%R) by (apply bpow_lt; lia).
  unfold number_result, ratio_outcome. cbv zeta. change (has_subnormals e8m0) with false. cbv iota. rewrite Hlowest.
  destruct (region_of_ratio m e d Hm Hd) as [[R V]|[[R [V K]]|[[R [V K]]|[R [V K]]]]]; rewrite R; cbn [Z.eqb Pos.eqb];
    try specialize (Hround K); destruct (lowest_binade b);
    try (rewrite <- (zero_iff e8m0 false b' false c)); try rewrite <- Hround; cbn [outcome_permit permits]; intuition lra.
Qed.
End Selection.
