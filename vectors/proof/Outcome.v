(* SPDX-License-Identifier: Apache-2.0 *)
(* The outcome that Checker.v computes is what Spec.v says. *)
From Coq Require Import ZArith Reals Bool List Lia Lra.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker.
Open Scope Z_scope.

Section Codes.
Variable t : format.
Hypothesis Hwf : well_formed t = true.

Lemma magnitudes_positive : 0 < magnitudes t.
Proof. pose proof (magnitudes_hidden t Hwf). pose proof (hidden_positive t Hwf). lia. Qed.

Lemma code_place c : is_code t c ->
  c = signed_code t (is_negative t c) (magnitude t c) /\ 0 <= magnitude t c /\ (is_negative t c = true -> is_signed t = true) /\
  (magnitude t c < magnitudes t \/ coding t = TwosComplement /\ is_negative t c = true /\ magnitude t c = magnitudes t).
Proof.
  unfold is_code, codes. intros H. pose proof magnitudes_positive as HM.
  unfold signed_code, is_negative, magnitude, is_negative.
  destruct (coding t) eqn:Hc.
  - pose proof (Z.mod_pos_bound c _ HM) as Hmod.
    destruct (is_signed t); simpl.
    + destruct (Z.leb_spec (magnitudes t) c) as [L|L]; simpl.
      * assert (c mod magnitudes t = c - magnitudes t) as -> by (symmetry; apply Z.mod_unique with 1; lia). lia.
      * rewrite Z.mod_small by lia. lia.
    + rewrite Z.mod_small by lia. intuition (try congruence; lia).
  - destruct (twos t Hwf Hc) as [_ [Hs _]]. rewrite Hs in *. cbn [andb].
    destruct (Z.leb_spec (magnitudes t) c) as [L|L]; cbn [andb].
    + replace (2 * magnitudes t - c =? 0) with false by (symmetry; apply Z.eqb_neq; lia). cbn [andb negb].
      split; [lia|]. split; [lia|]. split; [reflexivity|].
      destruct (Z.eq_dec c (magnitudes t)); [right; repeat split; lia|left; lia].
    + split; [reflexivity|]. split; [lia|]. split; [discriminate|]. left; lia.
Qed.

Lemma signed_code_place negative a :
  (negative = true -> is_signed t = true) -> 0 <= a ->
  (a < magnitudes t \/ coding t = TwosComplement /\ negative = true /\ a = magnitudes t) ->
  (coding t = TwosComplement -> negative = true -> 0 < a) ->
  is_negative t (signed_code t negative a) = negative /\ magnitude t (signed_code t negative a) = a.
Proof.
  intros Hs Ha Hb Hp. pose proof magnitudes_positive as HM.
  unfold magnitude, is_negative, signed_code.
  destruct (coding t) eqn:Hc.
  - destruct Hb as [Hb|[C _]]; [|discriminate].
    destruct negative; simpl.
    + rewrite Hs by reflexivity. simpl. split; [apply Z.leb_le; lia|].
      symmetry; apply Z.mod_unique with 1; lia.
    + split; [|now apply Z.mod_small].
      replace (magnitudes t <=? a) with false by (symmetry; apply Z.leb_gt; lia). apply andb_false_r.
  - destruct (twos t Hwf Hc) as [_ [Hsig _]]. rewrite Hsig. cbn [andb].
    destruct negative; cbn [andb].
    + specialize (Hp eq_refl eq_refl).
      replace (a =? 0) with false by (symmetry; apply Z.eqb_neq; lia). cbn [andb negb].
      replace (magnitudes t <=? 2 * magnitudes t - a) with true by (symmetry; apply Z.leb_le; lia). split; [reflexivity|lia].
    + destruct Hb as [Hb|[_ [C _]]]; [|discriminate].
      replace (magnitudes t <=? a) with false by (symmetry; apply Z.leb_gt; lia). auto.
Qed.

Lemma max_code_bounds : 0 <= max_code t < magnitudes t.
Proof.
  pose proof (magnitudes_hidden t Hwf). pose proof (hidden_positive t Hwf). unfold max_code, all_ones, inf_code.
  destruct (specials t); lia.
Qed.

Lemma finite_magnitude a : 0 <= a <= max_code t -> nan_magnitude t a = false /\ inf_magnitude t a = false.
Proof.
  intros Ha. unfold max_code, nan_magnitude, inf_magnitude in *.
  destruct (specials t); split; try reflexivity; try (apply Z.ltb_ge; lia); apply Z.eqb_neq; lia.
Qed.

Lemma largest_code_bounds b negative :
  0 <= largest_code t b negative /\
  (largest_code t b negative = max_code t \/
   coding t = TwosComplement /\ negative = true /\ largest_code t b negative = magnitudes t).
Proof.
  pose proof max_code_bounds. pose proof magnitudes_positive. unfold largest_code, uses_lowest.
  destruct negative; simpl; [|split; [lia|auto]].
  destruct (coding t); [split; [lia|auto]|]. destruct (lowest b); split; auto; lia.
Qed.

Lemma number_of_code c negative m e : is_code t c -> decode t c = MNumber negative m e ->
  negative = is_negative t c /\ number negative m e = cond_Ropp (is_negative t c) (magnitude_value t (magnitude t c)).
Proof.
  intros Hc. unfold decode, meaning_of_magnitude.
  destruct nan_magnitude; [discriminate|]. destruct inf_magnitude; [discriminate|].
  intros H; injection H; intros <- <- <-. split; [reflexivity|]. apply number_cond.
Qed.

Lemma finite_value_iff b negative a c :
  is_code t c -> (negative = true -> is_signed t = true) -> 0 <= a <= largest_code t b negative ->
  (0 < magnitude_value t a)%R ->
  (finite_value t c (cond_Ropp negative (magnitude_value t a)) <-> c = signed_code t negative a).
Proof.
  intros Hc Hs Ha Hpos.
  pose proof max_code_bounds as Hmax.
  destruct (largest_code_bounds b negative) as [_ Hlargest].
  assert (Hp : coding t = TwosComplement -> 0 < a).
  { intros Htc. destruct (Z.eq_dec a 0) as [->|]; [|lia].
    destruct (twos t Hwf Htc) as [Hsub _]. rewrite (magnitude_value_zero t Hwf Hsub) in Hpos. lra. }
  destruct (code_place c Hc) as [Hplace [Hm0 [Hsig Hmb]]].
  split.
  - intros [n [m [e [Hd Hv]]]].
    destruct (number_of_code c n m e Hc Hd) as [_ Hn]. rewrite Hn in Hv.
    pose proof (magnitude_value_nonneg t Hwf _ Hm0) as Hnn.
    assert (Hsame : is_negative t c = negative /\ magnitude_value t (magnitude t c) = magnitude_value t a).
    { destruct negative, (is_negative t c); simpl in Hv; (split; [reflexivity || (exfalso; lra)|lra]). }
    destruct Hsame as [H1 H2].
    apply (magnitude_value_inj t Hwf) in H2; [|lia|lia].
    rewrite Hplace, H1, H2. reflexivity.
  - intros ->.
    destruct (signed_code_place negative a) as [H1 H2]; auto; try lia.
    { destruct Hlargest as [H|[H3 [H4 H5]]]; [left; lia|].
      destruct (Z.eq_dec a (magnitudes t)); [right; auto|left; lia]. }
    exists negative, (fst (parts t a)), (snd (parts t a)). split.
    + unfold decode, meaning_of_magnitude. rewrite H1, H2.
      assert (nan_magnitude t a = false /\ inf_magnitude t a = false) as [-> ->]; [|reflexivity].
      destruct Hlargest as [H|[H3 [H4 H5]]]; [apply finite_magnitude; lia|].
      destruct (twos t Hwf H3) as [_ [_ Hns]]. unfold nan_magnitude, inf_magnitude. rewrite Hns. auto.
    + symmetry. apply number_cond.
Qed.

Lemma magnitude_value_zero_positive : has_subnormals t = false -> (0 < magnitude_value t 0)%R.
Proof.
  intros H. unfold magnitude_value, number, parts. destruct (no_subnormals t Hwf H) as [_ ->]. rewrite H.
  cbn [fst snd cond_Zopp]. apply F2R_gt_0. cbn [Fnum].
  pose proof (hidden_positive t Hwf). pose proof (Z.mod_pos_bound 0 _ H0). lia.
Qed.

Lemma magnitude_value_is_zero a : 0 <= a -> (magnitude_value t a = 0%R <-> has_subnormals t && (a =? 0) = true).
Proof.
  intros Ha. rewrite andb_true_iff, Z.eqb_eq. split.
  - intros H. destruct (Z.eq_dec a 0) as [->|N].
    + split; [|reflexivity]. destruct (has_subnormals t) eqn:E; [reflexivity|].
      pose proof (magnitude_value_zero_positive E). lra.
    + pose proof (magnitude_value_pos t Hwf a ltac:(lia)). lra.
  - intros [H ->]. now apply magnitude_value_zero.
Qed.
End Codes.

Section Outcome.
Variables (s : source) (t : format).
Hypothesis Hwfs : well_formed (value_format s) = true.
Hypothesis Hwf : well_formed t = true.
Variable embedded : bool.
Hypothesis Hembedded : specials (value_format s) = Ieee -> (embedded = true <-> embeds s t).
Variable b : behaviour.

Notation permit_of := (outcome_permit t embedded b).

Lemma special_iff negative c : special_result t b negative c <-> permits t (special_permit t b negative) c.
Proof.
  unfold special_result, special_permit. destruct (specials t); simpl; try tauto.
  destruct (overflow_nan b); simpl; unfold any_nan; tauto.
Qed.

Lemma nan_iff negative payload c :
  nan_result t b negative payload c <-> permits t (nan_permit t b negative (read_payload t payload)) c.
Proof.
  unfold nan_result, nan_permit, read_payload, any_nan. destruct (specials t), (nan b); simpl; tauto.
Qed.

Lemma zero_iff negative c : zero_result t b negative c <-> permits t (permit_of (OZero negative)) c.
Proof.
  unfold zero_result. simpl. destruct (has_subnormals t); simpl; [tauto|]. destruct (zero b); simpl; tauto.
Qed.

Lemma overflow_iff negative c : overflow_result t b negative c <-> permits t (permit_of (OOverflow negative)) c.
Proof.
  unfold overflow_result. simpl. destruct (overflow b); simpl; [tauto|].
  destruct (points_to_zero b negative), (directed_overflow b); simpl; try tauto; apply special_iff.
Qed.

Lemma inf_iff negative c : specials (value_format s) = Ieee ->
  (inf_result s t b negative c <-> permits t (permit_of (OInf negative)) c).
Proof.
  intros Hs. specialize (Hembedded Hs). unfold inf_result. simpl.
  destruct (overflow b).
  - destruct embedded; simpl.
    + rewrite <- special_iff. assert (embeds s t) by tauto. intuition congruence.
    + assert (~ embeds s t) by (intros C; apply Hembedded in C; discriminate). intuition congruence.
  - rewrite <- special_iff. intuition congruence.
Qed.

Lemma number_mag m e : 0 < m -> mag radix2 (number false m e) = Zdigits2 m + e :> Z.
Proof.
  intros Hm. rewrite Zdigits2_Zdigits. unfold number. cbn [cond_Zopp]. apply mag_F2R_Zdigits. lia.
Qed.
Lemma number_positive m e : 0 < m -> (0 < number false m e)%R.
Proof. intros Hm. apply F2R_gt_0. exact Hm. Qed.
Lemma number_bounds m e : 0 < m ->
  (bpow radix2 (Zdigits2 m + e - 1) <= number false m e < bpow radix2 (Zdigits2 m + e))%R.
Proof.
  intros Hm. pose proof (number_positive m e Hm) as Hp. rewrite <- (number_mag m e Hm). split.
  - pose proof (bpow_mag_le radix2 (number false m e)) as B. rewrite Rabs_pos_eq in B; [apply B|]; lra.
  - pose proof (bpow_mag_gt radix2 (number false m e)) as B. rewrite Rabs_pos_eq in B; lra.
Qed.

Lemma region_place m e : 0 < m -> has_subnormals t = false ->
  let v := number false m e in
  let smallest := bpow radix2 (emin t) in
  let second := bpow radix2 (emin t + 1) in
  (region t m e = 0 /\ (v < smallest)%R) \/ (region t m e = 1 /\ v = smallest) \/
  (region t m e = 2 /\ (smallest < v < second)%R) \/ (region t m e = 3 /\ (second <= v)%R /\ emin t + 1 <= Zdigits2 m + e).
Proof.
  intros Hm Hsub. cbv zeta. unfold region. rewrite Hsub.
  pose proof (number_bounds m e Hm) as [Hlo Hhi].
  destruct (Z.leb_spec (Zdigits2 m + e) (emin t)) as [L|L].
  { left. split; [reflexivity|]. apply Rlt_le_trans with (1 := Hhi). now apply bpow_le. }
  destruct (Z.ltb_spec (emin t + 1) (Zdigits2 m + e)) as [L'|L'].
  { do 3 right. repeat split; [|lia]. apply Rle_trans with (2 := Hlo). apply bpow_le. lia. }
  assert (E : Zdigits2 m + e = emin t + 1) by lia.
  rewrite E in Hlo, Hhi. replace (emin t + 1 - 1) with (emin t) in Hlo by lia.
  assert (Hd : 0 < Zdigits2 m) by (rewrite Zdigits2_Zdigits; apply Zdigits_gt_0; lia).
  assert (Hpow : bpow radix2 (emin t) = number false (Z.shiftl 1 (Zdigits2 m - 1)) e).
  { unfold number, F2R. cbn [cond_Zopp Fnum Fexp]. rewrite Z.shiftl_mul_pow2, Z.mul_1_l by lia.
    change 2 with (radix_val radix2). rewrite IZR_Zpower by lia. rewrite <- bpow_plus. f_equal. lia. }
  destruct (Z.eqb_spec m (Z.shiftl 1 (Zdigits2 m - 1))) as [M|M].
  - right; left. split; [reflexivity|]. rewrite Hpow, <- M. reflexivity.
  - right; right; left. split; [reflexivity|]. split; [|exact Hhi].
    destruct Hlo as [Hlo|Hlo]; [exact Hlo|]. exfalso. apply M.
    rewrite Hpow in Hlo. unfold number in Hlo. cbn [cond_Zopp] in Hlo. now apply eq_F2R in Hlo.
Qed.

Lemma round_outcome_iff negative m e c :
  is_code t c -> 0 < m -> (negative = true -> is_signed t = true) ->
  (has_subnormals t = true \/ emin t + 1 <= Zdigits2 m + e) ->
  (rounded_result t b negative (number negative m e) c <-> permits t (permit_of (round_outcome t b negative m e)) c).
Proof.
  intros Hc Hm Hs Hlow.
  assert (Hneg : negative = true -> fraction_bits t <> 0).
  { intros N F. destruct (no_fraction t Hwf F) as [Q _]. rewrite Hs in Q by exact N. discriminate. }
  destruct (round_magnitude_correct t Hwf (rounding b) negative m e Hm Hlow Hneg) as [Ha Hround].
  unfold rounded_result, round_outcome. cbv zeta. rewrite Hround.
  set (a := round_magnitude t (rounding b) negative m e) in *.
  pose proof (magnitude_value_nonneg t Hwf a Ha) as Hnn.
  rewrite abs_cond_Ropp, (Rabs_pos_eq (magnitude_value t a)) by exact Hnn.
  change (largest t b negative) with (magnitude_value t (largest_code t b negative)).
  destruct (largest_code_bounds t Hwf b negative) as [HL _].
  destruct (Z.ltb_spec (largest_code t b negative) a) as [L|L].
  - pose proof (magnitude_value_lt t Hwf _ _ HL L).
    rewrite <- overflow_iff. intuition lra.
  - pose proof (magnitude_value_le t Hwf _ _ Ha L) as Hle.
    pose proof (magnitude_value_is_zero t Hwf a Ha) as Hz.
    destruct (has_subnormals t && (a =? 0)) eqn:E.
    + assert (H0 : magnitude_value t a = 0%R) by tauto.
      rewrite <- zero_iff, H0. rewrite H0 in Hle.
      assert (cond_Ropp negative 0 = 0%R) as -> by (destruct negative; simpl; lra).
      intuition lra.
    + assert (H0 : magnitude_value t a <> 0%R) by (intros C; apply Hz in C; discriminate).
      assert (Hpos : (0 < magnitude_value t a)%R) by lra.
      simpl permits.
      rewrite <- (finite_value_iff t Hwf b negative a c Hc Hs (conj Ha L) Hpos).
      assert (cond_Ropp negative (magnitude_value t a) <> 0%R) by (destruct negative; simpl; lra).
      intuition lra.
Qed.

Lemma number_outcome_iff negative m e c :
  is_code t c -> 0 < m -> (negative = true -> is_signed t = true) ->
  (number_result t b negative (number negative m e) c <-> permits t (permit_of (number_outcome t b negative m e)) c).
Proof.
  intros Hc Hm Hs. unfold number_result, number_outcome.
  destruct (has_subnormals t) eqn:Hsub.
  { unfold region. rewrite Hsub. simpl (3 =? 3). apply round_outcome_iff; auto. }
  destruct (no_subnormals t Hwf Hsub) as [Hns _].
  destruct negative; [rewrite Hs in Hns by reflexivity; discriminate|].
  pose proof (bpow_lt radix2 (emin t) (emin t + 1) ltac:(lia)) as Hss.
  assert (Hhigh : region t m e <> 0 -> emin t + 1 <= Zdigits2 m + e).
  { unfold region. rewrite Hsub. destruct (Z.leb_spec (Zdigits2 m + e) (emin t)); [congruence|lia]. }
  assert (Hround : region t m e <> 0 ->
      rounded_result t b false (number false m e) c <-> permits t (permit_of (round_outcome t b false m e)) c)
    by (intros; apply round_outcome_iff; auto).
  destruct (region_place m e Hm Hsub) as [[R V]|[[R V]|[[R V]|[R [V _]]]]]; rewrite R in *.
  - simpl (0 =? _). cbv iota. destruct (lowest_binade b); rewrite <- ?zero_iff; simpl permits; intuition lra.
  - specialize (Hround ltac:(lia)). simpl (1 =? _). cbv iota.
    destruct (lowest_binade b); rewrite <- ?Hround; simpl permits; intuition lra.
  - specialize (Hround ltac:(lia)). simpl (2 =? _). cbv iota.
    destruct (lowest_binade b); rewrite <- ?Hround; simpl permits; intuition lra.
  - specialize (Hround ltac:(lia)). simpl (3 =? _). cbv iota.
    destruct (lowest_binade b); rewrite <- Hround; intuition lra.
Qed.

Lemma sign_iff negative go_on go_on' c :
  (forall n, (n = true -> is_signed t = true) -> (go_on n c <-> permits t (permit_of (go_on' n)) c)) ->
  (with_sign t b negative go_on c <-> permits t (permit_of (sign_outcome t b negative go_on')) c).
Proof.
  intros H. unfold with_sign, sign_outcome. destruct (is_signed t) eqn:E.
  - apply H. auto.
  - destruct negative.
    + destruct (Spec.negative b); simpl; try tauto. apply H. discriminate.
    + apply H. discriminate.
Qed.

(* What a source gives. *)
Lemma decode_number f x negative m e : well_formed f = true -> is_code f x -> decode f x = MNumber negative m e -> 0 <= m.
Proof.
  intros Hf Hx. unfold decode, meaning_of_magnitude.
  destruct nan_magnitude; [discriminate|]. destruct inf_magnitude; [discriminate|].
  intros H. injection H as _ <- _. apply parts_nonneg; [exact Hf|]. apply (code_place f Hf x Hx).
Qed.

Lemma decode_inf f x negative : decode f x = MInf negative -> specials f = Ieee.
Proof.
  unfold decode, meaning_of_magnitude, inf_magnitude. destruct nan_magnitude; [discriminate|].
  destruct (specials f); auto; discriminate.
Qed.

Lemma codes_positive f : well_formed f = true -> 0 < codes f.
Proof. intros Hf. pose proof (magnitudes_positive f Hf). unfold codes. destruct (is_signed f); lia. Qed.

Lemma meaning_number x negative m e : 0 <= x < inputs s -> meaning_of s x = MNumber negative m e -> 0 <= m.
Proof.
  assert (Hmod : forall f, well_formed f = true -> is_code f (x mod codes f)).
  { intros f Hf. apply Z.mod_pos_bound. now apply codes_positive. }
  destruct s as [f|g f|g f|f]; cbn [meaning_of inputs value_format] in *; intros Hx.
  - apply decode_number; auto.
  - unfold with_scale. specialize (Hmod f Hwfs). destruct (decode f (x mod codes f)) eqn:D; destruct (is_nan g (x / codes f)); try (intros; discriminate).
    intros H. injection H as _ <- _. exact (decode_number _ _ _ _ _ Hwfs Hmod D).
  - unfold with_scale. specialize (Hmod f Hwfs). destruct (decode f (x mod codes f)) eqn:D; destruct (is_nan g (x / codes f)); try (intros; discriminate).
    intros H. injection H as _ <- _. exact (decode_number _ _ _ _ _ Hwfs Hmod D).
  - unfold rectified. destruct (decode f x) as [n p|[|]|[|] m' e'] eqn:D; intros H; try discriminate; injection H as _ <- _; try lia.
    exact (decode_number _ _ _ _ _ Hwfs Hx D).
Qed.

Lemma meaning_inf x negative : meaning_of s x = MInf negative -> specials (value_format s) = Ieee.
Proof.
  destruct s as [f|g f|g f|f]; cbn [meaning_of inputs value_format] in *.
  - apply decode_inf.
  - unfold with_scale. destruct (decode f (x mod codes f)) eqn:D; destruct (is_nan g (x / codes f)); try (intros; discriminate).
    intros _. eapply decode_inf; eauto.
  - unfold with_scale. destruct (decode f (x mod codes f)) eqn:D; destruct (is_nan g (x / codes f)); try (intros; discriminate).
    intros _. eapply decode_inf; eauto.
  - unfold rectified. destruct (decode f x) as [n p|[|]|[|] m e] eqn:D; intros H; try discriminate. eapply decode_inf; eauto.
Qed.

Theorem outcome_correct x c : 0 <= x < inputs s -> is_code t c ->
  (right s t b x c <-> permits t (permit_of (meaning_outcome t b (meaning_of s x))) c).
Proof.
  intros Hx Hc. unfold right, meaning_outcome.
  destruct (meaning_of s x) as [negative payload|negative|negative m e] eqn:M.
  - pose proof (nan_iff negative payload c). simpl. tauto.
  - assert (H : with_sign t b negative (inf_result s t b) c <-> permits t (permit_of (sign_outcome t b negative OInf)) c).
    { apply sign_iff. intros n _. apply inf_iff. eapply meaning_inf; eauto. }
    tauto.
  - destruct (Z.eqb_spec m 0) as [Z0|Z0].
    + pose proof (zero_iff (negative && is_signed t) c). tauto.
    + assert (Hm : 0 < m) by (pose proof (meaning_number x _ _ _ Hx M); lia).
      enough (H : with_sign t b negative (fun sign => number_result t b sign (number sign m e)) c <->
        permits t (permit_of (sign_outcome t b negative (fun sign => number_outcome t b sign m e))) c) by tauto.
      apply sign_iff. intros n Hn. now apply number_outcome_iff.
Qed.
End Outcome.
