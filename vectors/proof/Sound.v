(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker is sound: a table that it accepts is right for every selection and every input. *)
From Coq Require Import ZArith Reals Bool List Lia Permutation.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker Outcome Between.
Import ListNotations.
Open Scope Z_scope.

(* Lists. *)
Lemma filter_filter {A} (p q : A -> bool) l : (forall x, p x = true -> q x = true) -> filter p (filter q l) = filter p l.
Proof.
  intros H. induction l as [|x l IH]; [reflexivity|]. simpl.
  destruct (q x) eqn:Q; simpl; rewrite IH; [reflexivity|].
  destruct (p x) eqn:P; [|reflexivity]. rewrite H in Q by exact P. discriminate.
Qed.

Lemma filter_Permutation {A} (p : A -> bool) l l' : Permutation l l' -> Permutation (filter p l) (filter p l').
Proof.
  intros H. induction H as [|x l l' H IH|x y l|l l' l'' H1 IH1 H2 IH2]; simpl.
  - constructor.
  - destruct (p x); auto.
  - destruct (p x), (p y); auto. constructor.
  - now apply Permutation_trans with (filter p l').
Qed.

Lemma Permutation_split {A} (l l' before after : list A) r : l' = before ++ r :: after -> Permutation l l' ->
  exists before' after', l = before' ++ r :: after' /\
    forall x, In x before' \/ In x after' -> In x before \/ In x after.
Proof.
  intros -> H. destruct (in_split r l) as [before' [after' ->]].
  { apply (Permutation_in r (Permutation_sym H)). apply in_elt. }
  exists before', after'. split; [reflexivity|]. intros x Hx. apply in_app_or.
  apply (Permutation_in x (Permutation_app_inv _ _ _ _ _ H)). apply in_or_app. exact Hx.
Qed.

Lemma behaviour_beq_eq x y : behaviour_beq x y = true -> x = y.
Proof.
  destruct x, y. unfold behaviour_beq. simpl. rewrite !andb_true_iff.
  intros [[[[[[[[[[[[[[[H1 H2] H3] H4] H5] H6] H7] H8] H9] H10] H11] H12] H13] H14] H15] H16].
  apply internal_rounding_choice_dec_bl in H1. apply internal_overflow_choice_dec_bl in H2.
  apply internal_directed_overflow_choice_dec_bl in H3. apply internal_nan_choice_dec_bl in H4.
  apply internal_overflow_nan_choice_dec_bl in H5. apply internal_zero_sign_choice_dec_bl in H6.
  apply internal_negative_choice_dec_bl in H7. apply internal_zero_choice_dec_bl in H8.
  apply internal_lowest_binade_choice_dec_bl in H9. apply internal_lowest_choice_dec_bl in H10.
  apply internal_rule_choice_dec_bl in H11. apply internal_arithmetic_choice_dec_bl in H12. apply internal_least_amax_choice_dec_bl in H13.
  apply internal_tininess_choice_dec_bl in H14. apply internal_invalid_nan_choice_dec_bl in H15. apply internal_inf_flags_choice_dec_bl in H16.
  subst. reflexivity.
Qed.

Lemma behaviour_beq_refl x : behaviour_beq x x = true.
Proof.
  destruct x. unfold behaviour_beq. simpl. rewrite !andb_true_iff.
  repeat split; first
    [ apply internal_rounding_choice_dec_lb; reflexivity | apply internal_overflow_choice_dec_lb; reflexivity
    | apply internal_directed_overflow_choice_dec_lb; reflexivity | apply internal_nan_choice_dec_lb; reflexivity
    | apply internal_overflow_nan_choice_dec_lb; reflexivity | apply internal_zero_sign_choice_dec_lb; reflexivity
    | apply internal_negative_choice_dec_lb; reflexivity | apply internal_zero_choice_dec_lb; reflexivity
    | apply internal_lowest_binade_choice_dec_lb; reflexivity | apply internal_lowest_choice_dec_lb; reflexivity
    | apply internal_rule_choice_dec_lb; reflexivity | apply internal_arithmetic_choice_dec_lb; reflexivity
    | apply internal_least_amax_choice_dec_lb; reflexivity | apply internal_tininess_choice_dec_lb; reflexivity
    | apply internal_invalid_nan_choice_dec_lb; reflexivity | apply internal_inf_flags_choice_dec_lb; reflexivity ].
Qed.

Lemma distinct_in x l : In x l -> In x (distinct l).
Proof.
  induction l as [|y l IH]; [auto|]. intros [->|H]; simpl.
  - destruct (existsb (behaviour_beq x) (distinct l)) eqn:E; [|now left].
    apply existsb_exists in E. destruct E as [z [Hz E]]. apply behaviour_beq_eq in E. now subst.
  - destruct existsb; [auto|right; auto].
Qed.

Lemma permit_eqb_eq p q : permit_eqb p q = true -> p = q.
Proof. destruct p, q; simpl; try discriminate; [|auto]. rewrite Z.eqb_eq. congruence. Qed.

Lemma both_true (p q : bool) : (if p then q else false) = true <-> p = true /\ q = true.
Proof. destruct p, q; intuition discriminate. Qed.

(* Partitions. *)
Lemma partition_first rs : forall start stop, is_partition rs start stop = true ->
  start <= stop /\ forall r, In r rs -> start <= first r.
Proof.
  induction rs as [|r rs IH]; simpl; intros start stop H.
  - apply Z.eqb_eq in H. split; [lia|tauto].
  - rewrite both_true, andb_true_iff, Z.eqb_eq, Z.leb_le in H. destruct H as [[H1 H2] H3].
    destruct (IH _ _ H3) as [H4 H5]. split; [lia|]. intros q [<-|Hq]; [lia|]. specialize (H5 q Hq). lia.
Qed.

Lemma partition_last rs : forall start stop, is_partition rs start stop = true -> forall r, In r rs -> last r < stop.
Proof.
  induction rs as [|q rs IH]; simpl; intros start stop H r Hr; [tauto|].
  rewrite both_true in H. destruct H as [_ H]. destruct Hr as [<-|Hr].
  - apply partition_first in H. lia.
  - apply (IH _ _ H r Hr).
Qed.

Lemma partition_covers rs : forall start stop x, is_partition rs start stop = true -> start <= x < stop ->
  exists before r after, rs = before ++ r :: after /\ covers r x /\
    forall other, In other before \/ In other after -> ~ covers other x.
Proof.
  induction rs as [|r rs IH]; simpl; intros start stop x H Hx.
  - apply Z.eqb_eq in H. lia.
  - rewrite both_true, andb_true_iff, Z.eqb_eq, Z.leb_le in H. destruct H as [[H1 H2] H3].
    destruct (Z_le_gt_dec x (last r)) as [L|L].
    + exists [], r, rs. split; [reflexivity|]. split; [unfold covers; lia|].
      intros other [[]|Ho]. destruct (partition_first _ _ _ H3) as [_ H4]. specialize (H4 other Ho). unfold covers. lia.
    + destruct (IH _ _ x H3 ltac:(lia)) as [before [q [after [-> [Hc Hother]]]]].
      exists (r :: before), q, after. split; [reflexivity|]. split; [exact Hc|].
      intros other [[<-|Ho]|Ho]; [unfold covers; lia| |]; apply Hother; auto.
Qed.

(* Joined rows. *)
Lemma certain_agrees b r : may_agree (reading b) r = true -> is_certain r = true -> agrees b r = true.
Proof.
  unfold may_agree, is_certain, agrees. rewrite !forallb_forall. intros H1 H2 t Ht. specialize (H1 t Ht). specialize (H2 t Ht).
  unfold reading_agrees in H1. rewrite H2 in H1. destruct t; simpl in *; congruence.
Qed.

Lemma joined_certain b rs : (forall r, In r rs -> is_certain r = true -> agrees b r = true) ->
  forall r, In r (joined rs) -> is_certain r = true -> agrees b r = true.
Proof.
  induction rs as [|q rs IH]; cbn [joined]; intros H; [intros r []|].
  assert (Hrs : forall r, In r rs -> is_certain r = true -> agrees b r = true) by (intros; apply H; [right|]; assumption).
  specialize (IH Hrs). destruct (joined rs) as [|next more].
  - intros r [<-|[]]. apply H. now left.
  - destruct (_ && _).
    + intros r [<-|Hr]; [|apply IH; now right]. intros Hc. apply (IH next); [now left|exact Hc].
    + intros r [<-|Hr]; [apply H; now left|apply IH; exact Hr].
Qed.

Lemma joined_partition b rs stop : (forall r, In r rs -> is_certain r = true -> agrees b r = true) ->
  forall start, is_partition (filter (agrees b) (joined rs)) start stop = true -> is_partition (filter (agrees b) rs) start stop = true.
Proof.
  induction rs as [|q rs IH]; cbn [joined]; intros H start Hp; [exact Hp|].
  assert (Hrs : forall r, In r rs -> is_certain r = true -> agrees b r = true) by (intros; apply H; [right|]; assumption).
  specialize (IH Hrs). pose proof (joined_certain b rs Hrs) as Hj. destruct (joined rs) as [|next more].
  - cbn [filter] in *. destruct (agrees b q); [|now apply IH].
    cbn [is_partition] in *. apply both_true in Hp. apply both_true. split; [apply Hp|]. now apply IH.
  - destruct (_ && _) eqn:E in Hp.
    + rewrite !andb_true_iff, Z.eqb_eq, !Z.leb_le in E. destruct E as [[[[E1 E2] E3] E4] E5].
      assert (A : agrees b q = true) by (apply H; [now left|exact E1]).
      assert (A' : agrees b next = true) by (apply Hj; [now left|exact E2]).
      cbn [filter] in *. rewrite A. rewrite A' in IH.
      change (agrees b (Row (conditions next) (first q) (last next) (permitted next))) with (agrees b next) in Hp.
      rewrite A' in Hp. cbn [is_partition first last] in *.
      rewrite both_true, andb_true_iff, Z.eqb_eq, Z.leb_le in Hp. destruct Hp as [[P1 P2] P3].
      rewrite both_true, andb_true_iff, Z.eqb_eq, Z.leb_le. split; [lia|].
      apply IH. rewrite both_true, andb_true_iff, Z.eqb_eq, Z.leb_le. split; [lia|exact P3].
    + change (filter (agrees b) (q :: next :: more)) with
        (if agrees b q then q :: filter (agrees b) (next :: more) else filter (agrees b) (next :: more)) in Hp.
      cbn [filter]. destruct (agrees b q); [|now apply IH].
      cbn [is_partition] in *. apply both_true in Hp. apply both_true. split; [apply Hp|]. now apply IH.
Qed.

(* Embedding. *)
Section Embedding.
Variables (s : source) (t : format).
Hypothesis Hwfs : well_formed (value_format s) = true.
Hypothesis Hwf : well_formed t = true.
Notation f := (value_format s).

Lemma number_lower negative m e k : k <= e -> number negative m e = F2R (Float radix2 (cond_Zopp negative (Z.shiftl m (e - k))) k).
Proof.
  intros H. unfold number. rewrite (F2R_change_exp radix2 k) by exact H. f_equal. f_equal.
  rewrite Z.shiftl_mul_pow2 by lia. simpl radix_val. destruct negative; simpl cond_Zopp; lia.
Qed.

Lemma same_number_iff negative m e negative' m' e' :
  same_number negative m e negative' m' e' = true <-> number negative m e = number negative' m' e'.
Proof.
  unfold same_number. cbv zeta. rewrite Z.eqb_eq.
  rewrite (number_lower negative m e (Z.min e e')), (number_lower negative' m' e' (Z.min e e')) by lia.
  split; [intros ->; reflexivity|apply eq_F2R].
Qed.

Lemma in_codes g c : well_formed g = true -> is_code g c -> In (Z.to_nat c) (seq 0 (Z.to_nat (codes g))).
Proof. intros _ [H1 H2]. apply in_seq. lia. Qed.

Lemma embedding_true : embedding f t = Some true -> embeds s t.
Proof.
  unfold embedding. cbv zeta.
  destruct (if codes f <=? 256 then _ else false) eqn:E; [intros _|destruct (if codes t <=? 256 then _ else false); intros C; discriminate C].
  apply both_true in E. destruct E as [_ E]. rewrite forallb_forall in E.
  intros x negative m e Hx Hd. specialize (E _ (in_codes f x Hwfs Hx)).
  rewrite Z2Nat.id in E by (apply Hx). unfold has_value in E. rewrite Hd in E. cbv zeta in E.
  rewrite !andb_true_iff, Z.leb_le, Z.ltb_lt in E. destruct E as [[E1 E2] E3].
  set (c := signed_code _ _ _) in *. exists c. split; [split; assumption|].
  unfold is_value_of in E3. destruct (decode t c) as [| |n m' e'] eqn:D; try discriminate.
  apply same_number_iff in E3. exists n, m', e'. auto.
Qed.

Lemma embedding_false : embedding f t = Some false -> ~ embeds s t.
Proof.
  unfold embedding. cbv zeta. destruct (if codes f <=? 256 then _ else false); [intros C; discriminate C|].
  destruct (if codes t <=? 256 then _ else false) eqn:E; [intros _ Hemb|intros C; discriminate C].
  apply both_true in E. destruct E as [_ E]. unfold lacks_value in E.
  destruct (decode f (max_code f)) as [| |n m e] eqn:D; try discriminate.
  assert (Hmax : is_code f (max_code f)).
  { pose proof (max_code_bounds f Hwfs). unfold is_code, codes. destruct (is_signed f); lia. }
  destruct (Hemb _ _ _ _ Hmax D) as [c [Hc [n' [m' [e' [D' V]]]]]].
  rewrite forallb_forall in E. specialize (E _ (in_codes t c Hwf Hc)).
  rewrite Z2Nat.id in E by (apply Hc). unfold is_value_of in E. rewrite D' in E.
  apply negb_true_iff in E. apply same_number_iff in V. congruence.
Qed.
End Embedding.

Lemma reading_outcome t b x : meaning_outcome t (reading b) x = meaning_outcome t b x.
Proof. destruct x; reflexivity. Qed.

Lemma agrees_may_agree b r : agrees b r = true -> may_agree (reading b) r = true.
Proof.
  unfold agrees, may_agree. rewrite !forallb_forall. intros H x Hx. specialize (H x Hx).
  unfold reading_agrees. destruct x; simpl in *; auto.
Qed.

Section Ranges.
Variables (s : source) (t : format).
Hypothesis Hwfs : well_formed (value_format s) = true.
Hypothesis Hwf : well_formed t = true.
Variable embedded : bool.
Variable bs : list behaviour.
Variable b : behaviour.

Lemma range_ok_all r : forall n x y z, range_ok s t embedded (fast_meaning s) bs b n r x y = true -> 0 <= x -> y < inputs s -> x <= z <= y ->
  outcome_ok t embedded bs r (meaning_outcome t b (meaning_of s z)) = true.
Proof.
  induction n as [|n IH]; intros x y z H Hx Hy Hz; cbn [range_ok] in H; cbv zeta in H.
  all: rewrite !fast_meaning_eq in H by (auto; lia).
  all: destruct (Z.eqb_spec x y) as [E|E]; [replace z with x by lia; exact H|].
  all: destruct (_ && _) eqn:U in H.
  1, 3: rewrite !andb_true_iff, Z.leb_le, !Z.eqb_eq in U; destruct U as [[[U1 U2] U3] U4];
    apply outcome_eqb_eq in U4;
    destruct (coding (value_format s)) eqn:Hc; [|unfold segment in U3; rewrite Hc in U3; contradiction];
    rewrite (outcome_between s t Hwfs Hwf b x z y Hc ltac:(lia) ltac:(lia) U1 U2 U3 U4); exact H.
  - discriminate.
  - apply both_true in H. destruct H as [H1 H2]. rewrite Z.div2_div in H1, H2. set (middle := (x + y + 1) / 2) in *.
    assert (x < middle <= y).
    { split; [assert (x + 1 <= middle) by (apply Z.div_le_lower_bound; lia); lia|].
      assert (middle < y + 1) by (apply Z.div_lt_upper_bound; lia). lia. }
    destruct (Z_lt_le_dec z middle).
    + apply (IH x (middle - 1)); auto; lia.
    + apply (IH middle y); auto; lia.
Qed.
End Ranges.

(* A row that is found to be right for a reading is right for every selection that reads so and agrees with it. *)
Section Rows.
Variables (given : list row) (choices : list (list term)) (inputs : Z) (t : format) (right_code : behaviour -> Z -> Z -> Prop).
Variable ok : list behaviour -> behaviour -> row -> bool.

Hypothesis ok_sound : forall bs b r x c, In b bs -> agrees b r = true -> ok bs (reading b) r = true ->
  0 <= first r -> last r < inputs -> covers r x -> is_code t c -> (permits t (permitted r) c <-> right_code b x c).

Theorem check_rows_sound : check_rows ok given choices inputs = true -> rows_are_right given choices inputs t right_code.
Proof.
  intros H b Hb x Hx. unfold check_rows in H.
  set (all := selections defaults choices) in *. cbv zeta in H.
  rewrite forallb_forall in H. specialize (H (reading b) (distinct_in _ _ (in_map reading _ _ Hb))).
  set (bs := filter _ all) in H.
  assert (Hbs : In b bs) by (apply filter_In; split; [exact Hb|apply behaviour_beq_refl]).
  apply andb_true_iff in H. destruct H as [Hpart Hrows].
  rewrite forallb_forall in Hpart, Hrows. specialize (Hpart b Hbs).
  apply joined_partition in Hpart.
  2:{ intros r Hr. apply filter_In in Hr. apply certain_agrees, Hr. }
  rewrite filter_filter in Hpart by (intros; apply agrees_may_agree; assumption).
  destruct (partition_covers _ _ _ x Hpart Hx) as [before' [r [after' [Heq [Hc Hother']]]]].
  assert (Hr : In r (filter (agrees b) (RowSort.sort given))) by (rewrite Heq; apply in_elt).
  destruct (Permutation_split _ _ _ _ _ Heq (filter_Permutation (agrees b) _ _ (RowSort.Permuted_sort given)))
    as [before [after [Heq' Hsame]]].
  exists before, r, after. split; [exact Heq'|]. split; [exact Hc|].
  split; [intros other Ho; apply Hother', Hsame, Ho|].
  intros c Hcode.
  assert (Hf : 0 <= first r) by (destruct (partition_first _ _ _ Hpart) as [_ Hfirst]; apply Hfirst, Hr).
  assert (Hl : last r < inputs) by (apply (partition_last _ _ _ Hpart), Hr).
  apply filter_In in Hr. destruct Hr as [Hr Hagrees].
  assert (Hok := Hrows r). rewrite filter_In in Hok. specialize (Hok (conj Hr (agrees_may_agree _ _ Hagrees))).
  exact (ok_sound bs b r x c Hbs Hagrees Hok Hf Hl Hc Hcode).
Qed.
End Rows.

Theorem check_with_sound embedded g :
  well_formed (value_format (from g)) = true -> well_formed (to g) = true ->
  (specials (value_format (from g)) = Ieee -> (embedded = true <-> embeds (from g) (to g))) ->
  check_with embedded g = true -> table_is_right g.
Proof.
  intros Hwfs Hwf Hembedded H. refine (check_rows_sound _ _ _ _ _ _ _ H).
  intros bs b r x c Hbs Hagrees Hrange Hf Hl Hc Hcode.
  rewrite (outcome_correct (from g) (to g) Hwfs Hwf embedded Hembedded b x c) by (unfold covers in Hc; lia || exact Hcode).
  pose proof (range_ok_all (from g) (to g) Hwfs Hwf embedded bs (reading b) r fuel _ _ x Hrange Hf Hl Hc) as Hok.
  rewrite reading_outcome in Hok.
  enough (permitted r = outcome_permit (to g) embedded b (meaning_outcome (to g) b (meaning_of (from g) x))) as -> by tauto.
  destruct (meaning_outcome (to g) b (meaning_of (from g) x)) eqn:O; unfold outcome_ok in Hok;
    try (apply permit_eqb_eq in Hok; exact Hok);
    rewrite forallb_forall in Hok; specialize (Hok b Hbs); rewrite Hagrees in Hok; apply permit_eqb_eq; exact Hok.
Qed.

Theorem check_sound g : check g = true -> table_is_right g.
Proof.
  unfold check. cbv zeta. rewrite !andb_true_iff. intros [[Hwfs Hwf] H].
  destruct (specials (value_format (from g))) eqn:Hs.
  - apply (check_with_sound false); auto. congruence.
  - destruct (embedding (value_format (from g)) (to g)) as [[|]|] eqn:E; [| |discriminate].
    + apply (check_with_sound true); auto. intros _. pose proof (embedding_true _ _ Hwfs E). tauto.
    + apply (check_with_sound false); auto. intros _. pose proof (embedding_false _ _ Hwfs Hwf E). intuition discriminate.
  - apply (check_with_sound false); auto. congruence.
Qed.
