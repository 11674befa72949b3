(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker of flags is sound: a table that it accepts is right for every selection and every input. *)
From Coq Require Import ZArith Reals Bool List Lia Lra.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker Outcome Between Sound Flags FlagChecker.
Import ListNotations.
Open Scope Z_scope.

Lemma flag_outcome_eqb_eq x y : flag_outcome_eqb x y = true -> x = y.
Proof.
  destruct x, y; simpl; try discriminate; try reflexivity; rewrite ?andb_true_iff, ?Z.eqb_eq, ?eqb_true_iff.
  - intros ->. reflexivity.
  - intros [[[-> ->] ->] ->]. reflexivity.
Qed.

(* The first bit of a fraction. *)
Lemma quiet_bit x n : 0 <= x -> 1 <= n -> Z.testbit x (n - 1) = (2 ^ (n - 1) <=? x mod 2 ^ n).
Proof.
  intros Hx Hn. set (h := 2 ^ (n - 1)). assert (Hh : 0 < h) by (apply Z.pow_pos_nonneg; lia).
  assert (Hpow : 2 ^ n = h * 2) by (unfold h; replace n with (n - 1 + 1) at 1 by lia; rewrite Z.pow_add_r by lia; reflexivity).
  rewrite Hpow, Z.rem_mul_r by lia. rewrite Z.testbit_odd, Z.shiftr_div_pow2 by lia. fold h.
  pose proof (Z.mod_pos_bound x h Hh) as B. rewrite Zmod_odd. destruct (Z.odd (x / h)).
  - symmetry. apply Z.leb_le. lia.
  - symmetry. apply Z.leb_gt. lia.
Qed.

Section Flags.
Variables (f t : format).
Hypothesis Hflags : well_formed_flags f t = true.

Lemma flagged g : is_flagged g = true ->
  well_formed g = true /\ is_signed g = true /\ has_subnormals g = true /\ coding g = SignMagnitude /\ 1 <= fraction_bits g.
Proof.
  unfold is_flagged. rewrite !andb_true_iff, Z.leb_le. intros [[[[H1 H2] H3] H4] H5].
  destruct (coding g); [auto|discriminate].
Qed.

Lemma flag_facts : is_flagged f = true /\ is_flagged t = true /\ emin (wide t) + 1 <= quantum f /\ emin (wide t) + 1 <= emin t.
Proof. unfold well_formed_flags in Hflags. rewrite !andb_true_iff, !Z.leb_le in Hflags. tauto. Qed.

Lemma f_facts : well_formed f = true /\ is_signed f = true /\ has_subnormals f = true /\ coding f = SignMagnitude /\ 1 <= fraction_bits f.
Proof. apply flagged, flag_facts. Qed.
Lemma t_facts : well_formed t = true /\ is_signed t = true /\ has_subnormals t = true /\ coding t = SignMagnitude /\ 1 <= fraction_bits t.
Proof. apply flagged, flag_facts. Qed.

Lemma wide_formed : well_formed (wide t) = true.
Proof.
  destruct t_facts as [Hwf [_ [_ [_ Hf]]]]. pose proof (exponent_positive t Hwf) as He. pose proof (fraction_small t Hwf) as Hs.
  unfold well_formed, wide. cbn [fraction_bits exponent_bits has_subnormals is_signed coding specials].
  rewrite !andb_true_iff, !Z.leb_le. replace (fraction_bits t =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
  repeat split; try lia. destruct (specials t); try reflexivity. apply Z.leb_le. lia.
Qed.

Section Number.
Variables (negative : bool) (m e : Z).
Hypothesis Hm : 0 < m.
Hypothesis He : quantum f <= e.
Notation v := (number negative m e).
Notation rounds r := (round_magnitude t r negative m e).

Lemma rounds_correct r : 0 <= rounds r /\ rounded t r v = cond_Ropp negative (magnitude_value t (rounds r)).
Proof.
  destruct t_facts as [Hwf [_ [Hsub [_ Hf]]]]. apply round_magnitude_correct; [exact Hwf|exact Hm|left; exact Hsub|lia].
Qed.

Lemma overflows_iff b : (largest t b negative < Rabs (rounded t (rounding b) v))%R <-> (max_code t <? rounds (rounding b)) = true.
Proof.
  destruct t_facts as [Hwf [_ [_ [Hc _]]]]. destruct (rounds_correct (rounding b)) as [A ->].
  pose proof (magnitude_value_nonneg t Hwf _ A) as Hnn.
  rewrite abs_cond_Ropp, Rabs_pos_eq by exact Hnn.
  assert (Hlargest : largest t b negative = magnitude_value t (max_code t)).
  { unfold largest, uses_lowest. rewrite Hc, andb_false_r. reflexivity. }
  rewrite Hlargest, Z.ltb_lt. pose proof (max_code_bounds t Hwf) as Hmax. split; intros H.
  - destruct (Z_lt_le_dec (max_code t) (rounds (rounding b))) as [L|L]; [exact L|].
    pose proof (magnitude_value_le t Hwf _ _ A L). lra.
  - apply magnitude_value_lt; [exact Hwf|lia|exact H].
Qed.

Lemma same_value a a' : 0 <= a -> 0 <= a' ->
  cond_Ropp negative (magnitude_value t a) = cond_Ropp negative (magnitude_value t a') -> a = a'.
Proof.
  destruct t_facts as [Hwf _]. intros Ha Ha' H. apply (magnitude_value_inj t Hwf); [exact Ha|exact Ha'|].
  destruct negative; simpl in H; lra.
Qed.

Lemma grid_formed : Valid_exp (grid t).
Proof. apply grid_valid, t_facts. Qed.

Lemma exact_iff r : rounded t r v = v <-> rounds TowardZero = rounds AwayFromZero.
Proof.
  pose proof grid_formed as Hgrid.
  destruct (rounds_correct TowardZero) as [Az Ez]. destruct (rounds_correct AwayFromZero) as [Aa Ea].
  split; intros H.
  - assert (G : generic_format radix2 (grid t) v).
    { rewrite <- H. unfold rounded. apply generic_format_round; [exact Hgrid|apply valid_to_integer]. }
    apply same_value; [exact Az|exact Aa|]. rewrite <- Ez, <- Ea. unfold rounded.
    rewrite !round_generic by (apply valid_to_integer || exact G). reflexivity.
  - assert (Heq : rounded t TowardZero v = rounded t AwayFromZero v) by (rewrite Ez, Ea, H; reflexivity).
    unfold rounded in Heq. cbn [to_integer] in Heq.
    assert (G : generic_format radix2 (grid t) v).
    { destruct (Rle_lt_dec 0 v) as [L|L].
      - rewrite round_ZR_DN, round_AW_UP in Heq by exact L.
        pose proof (round_DN_pt radix2 (grid t) v) as [G [D _]]. pose proof (round_UP_pt radix2 (grid t) v) as [_ [U _]].
        replace v with (round radix2 (grid t) Zfloor v) by lra. exact G.
      - rewrite round_ZR_UP, round_AW_DN in Heq by lra.
        pose proof (round_DN_pt radix2 (grid t) v) as [G [D _]]. pose proof (round_UP_pt radix2 (grid t) v) as [_ [U _]].
        replace v with (round radix2 (grid t) Zfloor v) by lra. exact G. }
    unfold rounded. apply round_generic; [apply valid_to_integer|exact G].
Qed.

Lemma abs_value : Rabs v = number false m e.
Proof.
  rewrite number_cond, abs_cond_Ropp. apply Rabs_pos_eq. apply Rlt_le, number_positive, Hm.
Qed.

Lemma tiny_before_iff : (Rabs v < smallest_normal t)%R <-> (Zdigits2 m + e <=? emin t) = true.
Proof.
  rewrite abs_value, Z.leb_le. destruct (number_bounds m e Hm) as [Hlo Hhi]. unfold smallest_normal. split; intros H.
  - assert (bpow radix2 (Zdigits2 m + e - 1) < bpow radix2 (emin t))%R as L by lra. apply lt_bpow in L. lia.
  - apply Rlt_le_trans with (1 := Hhi). now apply bpow_le.
Qed.

Notation unbounded r := (round_magnitude (wide t) r negative m e).
Lemma unbounded_correct r : 0 <= unbounded r /\ rounded (wide t) r v = cond_Ropp negative (magnitude_value (wide t) (unbounded r)).
Proof.
  destruct t_facts as [_ [_ [_ [_ Hf]]]].
  apply round_magnitude_correct; [apply wide_formed|exact Hm|left; reflexivity|]. cbn [wide fraction_bits]. lia.
Qed.

Lemma unbounded_is_wide b : rounded_unbounded t b v = rounded (wide t) (rounding b) v.
Proof.
  destruct t_facts as [_ [_ [_ [_ Hf]]]]. destruct flag_facts as [_ [_ [Hq _]]].
  unfold rounded_unbounded, rounded.
  assert (Hint : to_integer (wide t) (rounding b) v = to_integer t (rounding b) v).
  { assert (fraction_bits t =? 0 = false) as F by (apply Z.eqb_neq; lia).
    destruct (rounding b); cbn [to_integer wide fraction_bits]; rewrite ?F; reflexivity. }
  rewrite Hint. symmetry. unfold grid. cbn [wide coding fraction_bits]. apply round_FLT_FLX.
  rewrite abs_value. destruct (number_bounds m e Hm) as [Hlo _]. apply Rle_trans with (2 := Hlo). apply bpow_le.
  assert (0 < Zdigits2 m) by (rewrite Zdigits2_Zdigits; apply Zdigits_gt_0; lia).
  unfold quantum at 1. change (fraction_bits (wide t)) with (fraction_bits t). lia.
Qed.

Lemma normal_value : 0 <= normal_code t /\ magnitude_value (wide t) (normal_code t) = smallest_normal t.
Proof.
  destruct t_facts as [_ [_ [_ [_ Hf]]]]. destruct flag_facts as [_ [_ [_ Hn]]].
  destruct (round_magnitude_correct (wide t) wide_formed TowardZero false 1 (emin t) eq_refl (or_introl eq_refl) ltac:(discriminate)) as [A E].
  split; [exact A|]. cbn [cond_Ropp] in E. unfold normal_code. rewrite <- E.
  assert (Hv : number false 1 (emin t) = bpow radix2 (emin t)) by apply F2R_bpow.
  rewrite Hv. unfold rounded. apply round_generic; [apply valid_to_integer|]. apply generic_format_bpow.
  unfold grid, FLT_exp. cbn [wide coding fraction_bits]. unfold quantum.
  change (fraction_bits (wide t)) with (fraction_bits t). fold (wide t). lia.
Qed.

Lemma tiny_after_iff b : (Rabs (rounded_unbounded t b v) < smallest_normal t)%R <-> (unbounded (rounding b) <? normal_code t) = true.
Proof.
  rewrite unbounded_is_wide. destruct (unbounded_correct (rounding b)) as [A ->].
  rewrite abs_cond_Ropp, Rabs_pos_eq by (apply (magnitude_value_nonneg _ wide_formed), A).
  destruct normal_value as [N <-]. rewrite Z.ltb_lt. split; intros H.
  - destruct (Z_lt_le_dec (unbounded (rounding b)) (normal_code t)) as [L|L]; [exact L|].
    pose proof (magnitude_value_le (wide t) wide_formed _ _ N L). lra.
  - now apply (magnitude_value_lt (wide t) wide_formed).
Qed.

Lemma flags_of_number_iff embedded b c :
  flags_of_number t b negative v c <-> permits flags (flags_permit f t embedded b (number_flags t (rounding b) negative m e)) c.
Proof.
  unfold flags_of_number, number_flags. cbv zeta. pose proof (overflows_iff b) as Ho.
  destruct (max_code t <? rounds (rounding b)).
  - cbn [flags_permit permits]. assert (largest t b negative < Rabs (rounded t (rounding b) v))%R by now apply Ho. intuition lra.
  - assert (Hle : (Rabs (rounded t (rounding b) v) <= largest t b negative)%R).
    { apply Rnot_lt_le. intros C. apply Ho in C. discriminate. }
    pose proof (exact_iff (rounding b)) as Hx. pose proof tiny_before_iff as Hb. pose proof (tiny_after_iff b) as Ha.
    cbn [flags_permit permits].
    destruct (Z.eqb_spec (rounds TowardZero) (rounds AwayFromZero)) as [E|E].
    + assert (rounded t (rounding b) v = v) by now apply Hx. intuition (try lra; try congruence).
    + assert (Hne : rounded t (rounding b) v <> v) by (intros C; apply E, Hx, C).
      unfold is_tiny. destruct (tininess b).
      * destruct (unbounded (rounding b) <? normal_code t); intuition (try lra; try congruence).
      * destruct (Zdigits2 m + e <=? emin t); intuition (try lra; try congruence).
Qed.
End Number.

(* Inputs of one sign. *)
Definition by_rounding (r : rounding_choice) : behaviour := choose (TRounding r) defaults.
Lemma rounds_le r negative m e m' e' : 0 < m -> 0 < m' -> (number false m e <= number false m' e')%R ->
  0 <= round_magnitude t r negative m e <= round_magnitude t r negative m' e'.
Proof.
  destruct t_facts as [Hwf [Hs [Hsub _]]]. intros Hm Hm' H.
  apply (round_magnitude_le t Hwf (by_rounding r)); auto.
Qed.
Lemma unbounded_le r negative m e m' e' : 0 < m -> 0 < m' -> (number false m e <= number false m' e')%R ->
  0 <= round_magnitude (wide t) r negative m e <= round_magnitude (wide t) r negative m' e'.
Proof.
  destruct t_facts as [_ [Hs _]]. intros Hm Hm' H. apply (round_magnitude_le (wide t) wide_formed (by_rounding r)); auto.
Qed.
Lemma digits_le m e m' e' : 0 < m -> 0 < m' -> (number false m e <= number false m' e')%R -> Zdigits2 m + e <= Zdigits2 m' + e'.
Proof.
  intros Hm Hm' H. rewrite <- (number_mag m e Hm), <- (number_mag m' e' Hm'). apply mag_le; [now apply number_positive|exact H].
Qed.

Lemma number_flags_between r negative m1 e1 m e m2 e2 : 0 < m1 -> 0 < m -> 0 < m2 ->
  (number false m1 e1 <= number false m e <= number false m2 e2)%R ->
  number_flags t r negative m1 e1 = number_flags t r negative m2 e2 -> number_flags t r negative m e = number_flags t r negative m1 e1.
Proof.
  intros Hm1 Hm Hm2 [V1 V2] H. unfold number_flags in *.
  pose proof (rounds_le r negative m1 e1 m e Hm1 Hm V1). pose proof (rounds_le r negative m e m2 e2 Hm Hm2 V2).
  destruct (Z.ltb_spec (max_code t) (round_magnitude t r negative m1 e1));
  destruct (Z.ltb_spec (max_code t) (round_magnitude t r negative m2 e2)); try discriminate H.
  - replace (max_code t <? round_magnitude t r negative m e) with true by (symmetry; apply Z.ltb_lt; lia). reflexivity.
  - replace (max_code t <? round_magnitude t r negative m e) with false by (symmetry; apply Z.ltb_ge; lia).
    injection H as J1 J2 J3 J4.
    pose proof (rounds_le TowardZero negative m1 e1 m e Hm1 Hm V1). pose proof (rounds_le TowardZero negative m e m2 e2 Hm Hm2 V2).
    pose proof (rounds_le AwayFromZero negative m1 e1 m e Hm1 Hm V1). pose proof (rounds_le AwayFromZero negative m e m2 e2 Hm Hm2 V2).
    pose proof (unbounded_le r negative m1 e1 m e Hm1 Hm V1). pose proof (unbounded_le r negative m e m2 e2 Hm Hm2 V2).
    pose proof (digits_le m1 e1 m e Hm1 Hm V1). pose proof (digits_le m e m2 e2 Hm Hm2 V2).
    f_equal; lia.
Qed.

Lemma number_flags_shape r negative m e : number_flags t r negative m e = FOverflow \/
  exists below above before after, number_flags t r negative m e = FNumber below above before after.
Proof.
  unfold number_flags. destruct (max_code t <? round_magnitude t r negative m e); [left; reflexivity|right; do 4 eexists; reflexivity].
Qed.

Lemma f_formed : well_formed (value_format (Plain f)) = true.
Proof. apply f_facts. Qed.

(* A code as its sign and its magnitude. *)
Lemma decode_at x : 0 <= x < codes f ->
  decode f x = meaning_of_magnitude f (Z.odd (x / magnitudes f)) (x mod magnitudes f) /\ 0 <= x mod magnitudes f < magnitudes f.
Proof.
  destruct f_facts as [Hwf [Hs [_ [Hc _]]]]. intros Hx. pose proof (magnitudes_positive f Hwf) as HM.
  split; [|apply Z.mod_pos_bound; exact HM].
  pose proof (meaning_of_split (Plain f) f_formed x Hc Hx) as H. cbn [meaning_of meaning_at value_format] in H.
  rewrite H, Hs. reflexivity.
Qed.

Lemma signalling_at x : 0 <= x ->
  is_signalling f x = match specials f with Ieee => (x mod magnitudes f) mod 2 ^ fraction_bits f <? 2 ^ (fraction_bits f - 1) | _ => false end.
Proof.
  destruct f_facts as [Hwf [_ [_ [_ Hf]]]]. intros Hx. unfold is_signalling. destruct (specials f); try reflexivity.
  rewrite quiet_bit by lia. pose proof (hidden_positive f Hwf) as Hh.
  rewrite (magnitudes_split f Hwf), (Z.mul_comm (2 ^ exponent_bits f)).
  rewrite Z.rem_mul_r by (pose proof (exponent_positive f Hwf); try lia; apply Z.pow_pos_nonneg; lia).
  rewrite (Z.mul_comm (2 ^ fraction_bits f)), Z.mod_add, Z.mod_mod by lia.
  symmetry. apply Z.ltb_antisym.
Qed.

Theorem flags_between r x1 x x2 : 0 <= x1 <= x -> x <= x2 < codes f -> segment (Plain f) x1 = segment (Plain f) x2 ->
  flag_outcome_of f t r x1 = flag_outcome_of f t r x2 -> flag_outcome_of f t r x = flag_outcome_of f t r x1.
Proof.
  destruct f_facts as [Hwf [Hs [Hsub [Hc Hfb]]]]. intros Hx1 Hx2 Hsegment H.
  unfold segment in Hsegment. cbn [value_format] in Hsegment. rewrite Hc in Hsegment.
  rewrite !Z.shiftr_div_pow2 in Hsegment by (apply value_bits_nonneg; exact Hwf).
  change (2 ^ value_bits f) with (magnitudes f) in Hsegment. pose proof (magnitudes_positive f Hwf) as HM.
  assert (Hk : x / magnitudes f = x1 / magnitudes f).
  { apply Z.le_antisymm; [rewrite Hsegment|]; apply Z.div_le_mono; lia. }
  unfold flag_outcome_of in *. rewrite !fast_decode_eq in * by (exact Hwf || lia).
  rewrite !signalling_at in * by lia.
  destruct (decode_at x1 ltac:(lia)) as [E1 B1]. destruct (decode_at x ltac:(lia)) as [E B]. destruct (decode_at x2 ltac:(lia)) as [E2 B2].
  rewrite E1, E2 in H. rewrite E, E1. rewrite Hk. rewrite <- Hsegment in H.
  assert (Ha : x1 mod magnitudes f <= x mod magnitudes f <= x2 mod magnitudes f).
  { pose proof (Z.div_mod x (magnitudes f) ltac:(lia)) as D. pose proof (Z.div_mod x1 (magnitudes f) ltac:(lia)) as D1.
    pose proof (Z.div_mod x2 (magnitudes f) ltac:(lia)) as D2. rewrite Hk in D. rewrite <- Hsegment in D2. lia. }
  clear E E1 E2 Hk Hsegment. set (negative := Z.odd (x1 / magnitudes f)) in *.
  set (a1 := x1 mod magnitudes f) in *. set (a := x mod magnitudes f) in *. set (a2 := x2 mod magnitudes f) in *.
  clearbody a1 a a2 negative. unfold meaning_of_magnitude in *.
  destruct (nan_magnitude f a1) eqn:N1.
  { destruct (nan_magnitude_up (Plain f) f_formed a1 a N1) as [N P]; [cbn [value_format]; lia|].
    destruct (nan_magnitude_up (Plain f) f_formed a a2 N) as [N2 P2]; [cbn [value_format]; lia|].
    cbn [value_format] in N, N2, P, P2. rewrite N. rewrite N2 in H. f_equal. injection H as H.
    destruct (specials f); try reflexivity.
    destruct (Z.ltb_spec (a1 mod 2 ^ fraction_bits f) (2 ^ (fraction_bits f - 1))),
      (Z.ltb_spec (a mod 2 ^ fraction_bits f) (2 ^ (fraction_bits f - 1))),
      (Z.ltb_spec (a2 mod 2 ^ fraction_bits f) (2 ^ (fraction_bits f - 1))); try reflexivity; try discriminate H; lia. }
  assert (Hshape : forall m e, (if m =? 0 then FZero else number_flags t r negative m e) <> FInf).
  { intros m e. destruct (m =? 0); [discriminate|].
    destruct (number_flags_shape r negative m e) as [->|[l [h [p [q ->]]]]]; discriminate. }
  destruct (nan_magnitude f a2) eqn:N2.
  { exfalso. destruct (inf_magnitude f a1); [discriminate H|]. destruct (fst (parts f a1) =? 0); [discriminate H|].
    destruct (number_flags_shape r negative (fst (parts f a1)) (snd (parts f a1))) as [C|[l [h [p [q C]]]]]; rewrite C in H; discriminate H. }
  destruct (inf_magnitude f a1) eqn:I1.
  { destruct (inf_magnitude f a2) eqn:I2; [|exfalso; now apply (Hshape (fst (parts f a2)) (snd (parts f a2)))].
    assert (a1 = a2). { unfold inf_magnitude in I1, I2. destruct (specials f); try discriminate. lia. }
    replace a with a1 by lia. rewrite N1, I1. reflexivity. }
  destruct (inf_magnitude f a2) eqn:I2; [exfalso; now apply (Hshape (fst (parts f a1)) (snd (parts f a1)))|].
  destruct (finite_magnitude_down (Plain f) a a2 N2 I2) as [N I]; [cbn [value_format]; lia|]. cbn [value_format] in N, I. rewrite N, I.
  pose proof (parts_nonneg f Hwf a1 ltac:(lia)) as P1. pose proof (parts_nonneg f Hwf a ltac:(lia)) as P.
  pose proof (parts_nonneg f Hwf a2 ltac:(lia)) as P2.
  pose proof (magnitude_value_le f Hwf a1 a ltac:(lia) ltac:(lia)) as V1.
  pose proof (magnitude_value_le f Hwf a a2 ltac:(lia) ltac:(lia)) as V2. unfold magnitude_value in V1, V2.
  assert (Hzero : forall a, fst (parts f a) = 0 -> magnitude_value f a = 0%R).
  { intros c Z0. unfold magnitude_value. rewrite Z0. apply F2R_0. }
  destruct (Z.eqb_spec (fst (parts f a1)) 0) as [Z1|Z1]; destruct (Z.eqb_spec (fst (parts f a2)) 0) as [Z2|Z2].
  - assert (a1 = a2) by (apply (magnitude_value_inj f Hwf); [lia|lia|rewrite !Hzero by assumption; reflexivity]).
    replace a with a1 by lia. rewrite Z1. reflexivity.
  - exfalso. destruct (number_flags_shape r negative (fst (parts f a2)) (snd (parts f a2))) as [C|[l [h [p [q C]]]]]; rewrite C in H;
      discriminate H.
  - exfalso. destruct (number_flags_shape r negative (fst (parts f a1)) (snd (parts f a1))) as [C|[l [h [p [q C]]]]]; rewrite C in H;
      discriminate H.
  - assert (Hpos : fst (parts f a) <> 0).
    { intros C. rewrite C in V1. unfold number in V1 at 2. cbn [cond_Zopp] in V1. rewrite F2R_0 in V1.
      pose proof (number_positive (fst (parts f a1)) (snd (parts f a1)) ltac:(lia)). lra. }
    replace (fst (parts f a) =? 0) with false by (symmetry; apply Z.eqb_neq; exact Hpos).
    apply number_flags_between with (fst (parts f a2)) (snd (parts f a2)); auto; lia.
Qed.

(* The outcome is what Flags.v says. *)
Lemma parts_exponent a : 0 <= a -> quantum f <= snd (parts f a).
Proof.
  destruct f_facts as [Hwf [_ [Hsub [Hc _]]]]. intros Ha. unfold parts. rewrite Hc, Hsub.
  pose proof (hidden_positive f Hwf) as Hh. assert (0 <= a / 2 ^ fraction_bits f) by (apply Z.div_pos; lia).
  destruct (Z.eqb_spec (a / 2 ^ fraction_bits f) 0); cbn [snd]; lia.
Qed.

Variable embedded : bool.
Hypothesis Hembedded : specials f = Ieee -> (embedded = true <-> embeds (Plain f) t).

Theorem flags_correct b x c : 0 <= x < codes f ->
  (right_flags f t b x c <-> permits flags (flags_permit f t embedded b (flag_outcome_of f t (rounding b) x)) c).
Proof.
  destruct f_facts as [Hwf _]. intros Hx. unfold right_flags, flag_outcome_of. rewrite fast_decode_eq by (exact Hwf || lia).
  destruct (decode_at x Hx) as [E B]. rewrite E. unfold meaning_of_magnitude.
  destruct (nan_magnitude f _).
  { cbn [flags_permit permits]. unfold nan_is_invalid. reflexivity. }
  destruct (inf_magnitude f _) eqn:I.
  - assert (Hi : specials f = Ieee) by (unfold inf_magnitude in I; destruct (specials f); congruence).
    specialize (Hembedded Hi). unfold flags_of_inf, inf_stays. cbn [flags_permit permits].
    destruct (specials t), (overflow b), embedded; intuition (try congruence).
  - set (a := x mod magnitudes f) in *. pose proof (parts_nonneg f Hwf a ltac:(lia)) as P.
    destruct (Z.eqb_spec (fst (parts f a)) 0) as [Z0|Z0]; [reflexivity|].
    apply flags_of_number_iff; [lia|]. apply parts_exponent. lia.
Qed.

Lemma flags_ok_all bs b r : forall n x y z, flags_ok f t embedded bs b n r x y = true -> 0 <= x -> y < codes f -> x <= z <= y ->
  flag_outcome_ok f t embedded bs r (flag_outcome_of f t (rounding b) z) = true.
Proof.
  induction n as [|n IH]; intros x y z H Hx Hy Hz; cbn [flags_ok] in H; cbv zeta in H.
  all: destruct (Z.eqb_spec x y) as [E|E]; [replace z with x by lia; exact H|].
  all: destruct (_ && _) eqn:U in H.
  1, 3: rewrite andb_true_iff, Z.eqb_eq in U; destruct U as [U1 U2]; apply flag_outcome_eqb_eq in U2;
    rewrite (flags_between (rounding b) x z y ltac:(lia) ltac:(lia) U1 U2); exact H.
  - discriminate.
  - apply both_true in H. destruct H as [H1 H2]. rewrite Z.div2_div in H1, H2. set (middle := (x + y + 1) / 2) in *.
    assert (x < middle <= y).
    { split; [assert (x + 1 <= middle) by (apply Z.div_le_lower_bound; lia); lia|].
      assert (middle < y + 1) by (apply Z.div_lt_upper_bound; lia). lia. }
    destruct (Z_lt_le_dec z middle).
    + apply (IH x (middle - 1)); auto; lia.
    + apply (IH middle y); auto; lia.
Qed.
End Flags.

Theorem check_flags_with_sound embedded g : well_formed_flags (flags_from g) (flags_to g) = true ->
  (specials (flags_from g) = Ieee -> (embedded = true <-> embeds (Plain (flags_from g)) (flags_to g))) ->
  check_flags_with embedded g = true -> flags_table_is_right g.
Proof.
  intros Hflags Hembedded H. refine (check_rows_sound _ _ _ _ _ _ _ H).
  intros bs b r x c Hbs Hagrees Hok Hf Hl Hc Hcode.
  rewrite (flags_correct (flags_from g) (flags_to g) Hflags embedded Hembedded b x c) by (unfold covers in Hc; lia).
  pose proof (flags_ok_all (flags_from g) (flags_to g) Hflags embedded bs (reading b) r fuel _ _ x Hok Hf Hl Hc) as Hall.
  change (rounding (reading b)) with (rounding b) in Hall. unfold flag_outcome_ok in Hall. rewrite forallb_forall in Hall.
  specialize (Hall b Hbs). rewrite Hagrees in Hall. apply permit_eqb_eq in Hall. rewrite Hall. reflexivity.
Qed.

Theorem check_flags_sound g : check_flags g = true -> flags_table_is_right g.
Proof.
  unfold check_flags. cbv zeta. destruct (well_formed_flags (flags_from g) (flags_to g)) eqn:Hflags; [|discriminate].
  pose proof (f_formed _ _ Hflags) as Hwfs. pose proof (t_facts _ _ Hflags) as [Hwf _].
  destruct (specials (flags_from g)) eqn:Hs.
  - apply check_flags_with_sound; [exact Hflags|congruence].
  - destruct (embedding (flags_from g) (flags_to g)) as [[|]|] eqn:E; [| |discriminate].
    + apply check_flags_with_sound; [exact Hflags|]. intros _.
      pose proof (embedding_true (Plain (flags_from g)) _ Hwfs E). tauto.
    + apply check_flags_with_sound; [exact Hflags|]. intros _.
      pose proof (embedding_false (Plain (flags_from g)) _ Hwfs Hwf E). intuition discriminate.
  - apply check_flags_with_sound; [exact Hflags|congruence].
Qed.
