(* SPDX-License-Identifier: Apache-2.0 *)
(* Two inputs of one segment and one class with one outcome: every input between them has it too. *)
From Coq Require Import ZArith Reals Bool List Lia Lra.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table Checker Outcome.
Open Scope Z_scope.

Lemma outcome_eqb_eq x y : outcome_eqb x y = true -> x = y.
Proof.
  destruct x, y; simpl; try discriminate; rewrite ?andb_true_iff, ?eqb_true_iff, ?Z.eqb_eq; intuition congruence.
Qed.

(* The fast meaning is the meaning. *)
Lemma value_bits_nonneg f : well_formed f = true -> 0 <= value_bits f.
Proof. intros H. unfold value_bits. pose proof (fraction_nonneg f H). pose proof (exponent_positive f H). lia. Qed.

Lemma low_bits c n : 0 <= n -> Z.land c (Z.shiftl 1 n - 1) = c mod 2 ^ n.
Proof. intros Hn. rewrite <- Z.land_ones by exact Hn. unfold Z.ones. now rewrite Z.sub_1_r. Qed.

Lemma fast_parts_eq f a : well_formed f = true -> fast_parts f a = parts f a.
Proof.
  intros Hf. pose proof (fraction_nonneg f Hf) as Hfr. unfold fast_parts, parts. cbv zeta.
  destruct (coding f); [|reflexivity].
  destruct (has_subnormals f); rewrite low_bits, Z.shiftr_div_pow2, Z.shiftl_mul_pow2, Z.mul_1_l by exact Hfr; reflexivity.
Qed.

Lemma fast_negative_eq f c : well_formed f = true -> 0 <= c -> fast_negative f c = is_negative f c.
Proof.
  intros Hf Hc. pose proof (value_bits_nonneg f Hf) as Hn. pose proof (magnitudes_positive f Hf) as HM.
  unfold fast_negative, is_negative. cbv zeta. destruct (is_signed f); [|reflexivity]. simpl andb.
  rewrite Z.shiftr_div_pow2 by exact Hn. change (2 ^ value_bits f) with (magnitudes f).
  destruct (Z.leb_spec (magnitudes f) c) as [L|L].
  - assert (0 < c / magnitudes f) by (apply Z.div_str_pos; lia).
    replace (c / magnitudes f =? 0) with false by (symmetry; apply Z.eqb_neq; lia). reflexivity.
  - rewrite Z.div_small by lia. reflexivity.
Qed.

Lemma fast_magnitude_eq f c : well_formed f = true -> 0 <= c -> fast_magnitude f c = magnitude f c.
Proof.
  intros Hf Hc. pose proof (value_bits_nonneg f Hf) as Hn.
  unfold fast_magnitude, magnitude. cbv zeta. destruct (coding f).
  - rewrite low_bits by exact Hn. reflexivity.
  - rewrite fast_negative_eq by assumption. rewrite Z.shiftl_mul_pow2, Z.pow_add_r by lia.
    change (2 ^ value_bits f) with (magnitudes f). destruct (is_negative f c); lia.
Qed.

Lemma fast_nan_magnitude_eq f a : fast_nan_magnitude f a = nan_magnitude f a.
Proof. unfold fast_nan_magnitude, nan_magnitude. destruct (specials f); reflexivity. Qed.

Lemma fast_inf_magnitude_eq f a : fast_inf_magnitude f a = inf_magnitude f a.
Proof. unfold fast_inf_magnitude, inf_magnitude. destruct (specials f); reflexivity. Qed.

Lemma fast_is_nan_eq f c : fast_is_nan f c = is_nan f c.
Proof.
  unfold fast_is_nan, is_nan, magnitude. destruct (coding f) eqn:Hc; [apply fast_nan_magnitude_eq|reflexivity].
Qed.

Lemma fast_decode_eq f c : well_formed f = true -> 0 <= c -> fast_decode f c = decode f c.
Proof.
  intros Hf Hc. pose proof (fraction_nonneg f Hf) as Hfr. unfold fast_decode, decode, meaning_of_magnitude. cbv zeta.
  rewrite fast_negative_eq, fast_magnitude_eq, fast_nan_magnitude_eq, fast_inf_magnitude_eq, fast_parts_eq by assumption.
  rewrite low_bits by exact Hfr. destruct (parts f (magnitude f c)) as [m e]. reflexivity.
Qed.

Lemma code_bits_codes f : well_formed f = true -> 0 <= code_bits f /\ 2 ^ code_bits f = codes f.
Proof.
  intros Hf. pose proof (value_bits_nonneg f Hf). unfold code_bits, codes, magnitudes. fold (value_bits f).
  destruct (is_signed f); [|auto]. split; [lia|]. rewrite Z.pow_add_r by lia. lia.
Qed.

Lemma fast_with_scale_eq g f up x : well_formed f = true -> 0 <= x ->
  fast_with_scale g f up x = with_scale g (x / codes f) (decode f (x mod codes f)) up.
Proof.
  intros Hf Hx. destruct (code_bits_codes f Hf) as [Hn Hc]. unfold fast_with_scale, with_scale. cbv zeta.
  rewrite low_bits, Z.shiftr_div_pow2, Hc, fast_is_nan_eq by exact Hn. rewrite fast_decode_eq; auto.
  apply Z.mod_pos_bound. now apply codes_positive.
Qed.

Lemma fast_meaning_eq s x : well_formed (value_format s) = true -> 0 <= x -> fast_meaning s x = meaning_of s x.
Proof.
  intros Hf Hx. destruct s as [f|g f|g f|f]; cbn [fast_meaning meaning_of value_format] in *; cbv zeta.
  - now apply fast_decode_eq.
  - now apply fast_with_scale_eq.
  - now apply fast_with_scale_eq.
  - now rewrite fast_decode_eq.
Qed.

Section Between.
Variables (s : source) (t : format).
Hypothesis Hwfs : well_formed (value_format s) = true.
Hypothesis Hwf : well_formed t = true.
Variable b : behaviour.
Notation f := (value_format s).

(* Rounding. *)
Lemma number_sign_le negative v w : (v <= w)%R ->
  (cond_Ropp negative (if negative then w else v) <= cond_Ropp negative (if negative then v else w))%R.
Proof. destruct negative; simpl; lra. Qed.

Lemma round_magnitude_le negative m e m' e' :
  0 < m -> 0 < m' -> (negative = true -> is_signed t = true) ->
  (has_subnormals t = true \/ emin t + 1 <= Zdigits2 m + e) ->
  (has_subnormals t = true \/ emin t + 1 <= Zdigits2 m' + e') ->
  (number false m e <= number false m' e')%R ->
  0 <= round_magnitude t (rounding b) negative m e <= round_magnitude t (rounding b) negative m' e'.
Proof.
  intros Hm Hm' Hs Hlow Hlow' Hle.
  assert (Hneg : negative = true -> fraction_bits t <> 0).
  { intros N F. destruct (no_fraction t Hwf F) as [Q _]. rewrite Hs in Q by exact N. discriminate. }
  destruct (round_magnitude_correct t Hwf (rounding b) negative m e Hm Hlow Hneg) as [Ha Hr].
  destruct (round_magnitude_correct t Hwf (rounding b) negative m' e' Hm' Hlow' Hneg) as [Ha' Hr'].
  split; [exact Ha|]. apply (magnitude_value_le_inv t Hwf); [exact Ha|exact Ha'|].
  destruct negative.
  - rewrite number_cond in Hr, Hr'. cbn [cond_Ropp] in *.
    assert (rounded t (rounding b) (- number false m' e') <= rounded t (rounding b) (- number false m e))%R.
    { apply rounded_le; [exact Hwf|left; auto|lra]. }
    lra.
  - cbn [cond_Ropp] in *. rewrite <- Hr, <- Hr'. apply rounded_le; [exact Hwf| |exact Hle].
    destruct (Z.eq_dec (fraction_bits t) 0) as [F|F]; [right|left; exact F].
    destruct (no_fraction t Hwf F) as [_ [Hsub _]].
    destruct Hlow as [C|L]; [rewrite C in Hsub; discriminate|].
    apply Rle_trans with (bpow radix2 (Zdigits2 m + e - 1)); [apply bpow_le; lia|].
    apply number_bounds. exact Hm.
Qed.

Lemma signed_code_inj negative a a' :
  (negative = true -> is_signed t = true) -> signed_code t negative a = signed_code t negative a' ->
  (has_subnormals t && (a =? 0) = false) -> (has_subnormals t && (a' =? 0) = false) -> a = a'.
Proof.
  intros Hs H N N'. unfold signed_code in H. destruct (coding t) eqn:Hc.
  - destruct (negative && is_signed t); lia.
  - destruct (twos t Hwf Hc) as [Hsub _]. rewrite Hsub in *. cbn [andb] in *. rewrite N, N' in H.
    destruct negative; cbn [andb negb] in H; lia.
Qed.

Lemma round_outcome_between negative m1 e1 m e m2 e2 :
  0 < m1 -> 0 < m -> 0 < m2 -> (negative = true -> is_signed t = true) ->
  (has_subnormals t = true \/ emin t + 1 <= Zdigits2 m1 + e1) ->
  (has_subnormals t = true \/ emin t + 1 <= Zdigits2 m + e) ->
  (has_subnormals t = true \/ emin t + 1 <= Zdigits2 m2 + e2) ->
  (number false m1 e1 <= number false m e <= number false m2 e2)%R ->
  round_outcome t b negative m1 e1 = round_outcome t b negative m2 e2 ->
  round_outcome t b negative m e = round_outcome t b negative m1 e1.
Proof.
  intros Hm1 Hm Hm2 Hs L1 L L2 [V1 V2] H.
  pose proof (round_magnitude_le negative m1 e1 m e Hm1 Hm Hs L1 L V1) as A1.
  pose proof (round_magnitude_le negative m e m2 e2 Hm Hm2 Hs L L2 V2) as A2.
  unfold round_outcome in *.
  set (a1 := round_magnitude t (rounding b) negative m1 e1) in *.
  set (a := round_magnitude t (rounding b) negative m e) in *.
  set (a2 := round_magnitude t (rounding b) negative m2 e2) in *.
  cbv zeta in *.
  destruct (Z.ltb_spec (largest_code t b negative) a1) as [B1|B1].
  { replace (largest_code t b negative <? a) with true by (symmetry; apply Z.ltb_lt; lia). reflexivity. }
  destruct (Z.ltb_spec (largest_code t b negative) a2) as [B2|B2].
  { destruct (has_subnormals t && (a1 =? 0)); discriminate. }
  replace (largest_code t b negative <? a) with false by (symmetry; apply Z.ltb_ge; lia).
  destruct (has_subnormals t && (a1 =? 0)) eqn:E1; destruct (has_subnormals t && (a2 =? 0)) eqn:E2; try discriminate.
  - rewrite andb_true_iff, Z.eqb_eq in E1, E2. destruct E1 as [-> E1]. replace a with 0 by lia. reflexivity.
  - assert (Heq : a1 = a2) by (apply (signed_code_inj negative); [exact Hs|congruence|exact E1|exact E2]).
    replace a with a1 by lia. rewrite E1. reflexivity.
Qed.

Lemma number_outcome_between negative m1 e1 m e m2 e2 :
  0 < m1 -> 0 < m -> 0 < m2 -> (negative = true -> is_signed t = true) ->
  (number false m1 e1 <= number false m e <= number false m2 e2)%R ->
  region t m1 e1 = region t m2 e2 ->
  number_outcome t b negative m1 e1 = number_outcome t b negative m2 e2 ->
  number_outcome t b negative m e = number_outcome t b negative m1 e1.
Proof.
  intros Hm1 Hm Hm2 Hs V R H.
  destruct (has_subnormals t) eqn:Hsub.
  { unfold number_outcome, region in *. rewrite Hsub in *. change (3 =? 3) with true in *. cbv iota zeta in *.
    apply round_outcome_between with m2 e2; auto. }
  assert (Hhigh : forall m e, region t m e <> 0 -> emin t + 1 <= Zdigits2 m + e).
  { intros m' e'. unfold region. rewrite Hsub. cbv zeta.
    destruct (Z.leb_spec (Zdigits2 m' + e') (emin t)); [congruence|lia]. }
  assert (HR : region t m e = region t m1 e1).
  { destruct (region_place t m1 e1 Hm1 Hsub) as [[R1 V1]|[[R1 V1]|[[R1 V1]|[R1 [V1 _]]]]];
    destruct (region_place t m e Hm Hsub) as [[R0 V0]|[[R0 V0]|[[R0 V0]|[R0 [V0 _]]]]];
    destruct (region_place t m2 e2 Hm2 Hsub) as [[R2 V2]|[[R2 V2]|[[R2 V2]|[R2 [V2 _]]]]];
    rewrite R1, R2 in R; try discriminate R; rewrite R0, R1; try reflexivity; exfalso;
    pose proof (bpow_lt radix2 (emin t) (emin t + 1) ltac:(lia)); lra. }
  assert (Hround : region t m1 e1 <> 0 -> round_outcome t b negative m1 e1 = round_outcome t b negative m2 e2 ->
                   round_outcome t b negative m e = round_outcome t b negative m1 e1).
  { intros N E. apply round_outcome_between with m2 e2; auto; right; apply Hhigh; congruence. }
  unfold number_outcome in *. rewrite HR. rewrite <- R in H. cbv zeta in *.
  destruct (Z.eqb_spec (region t m1 e1) 3) as [E3|E3]; [apply Hround; [lia|exact H]|].
  destruct (Z.eqb_spec (region t m1 e1) 0) as [E0|E0]; destruct (lowest_binade b); auto.
Qed.

(* Inputs of a segment. *)
Definition meaning_at (scale : Z) (negative : bool) (a : Z) : meaning :=
  match s with
  | Plain f => meaning_of_magnitude f negative a
  | Divided g f => with_scale g scale (meaning_of_magnitude f negative a) false
  | Multiplied g f => with_scale g scale (meaning_of_magnitude f negative a) true
  | Rectified f => rectified (meaning_of_magnitude f negative a)
  end.

Lemma decode_split c : coding f = SignMagnitude ->
  decode f (c mod codes f) = meaning_of_magnitude f (is_signed f && Z.odd (c / magnitudes f)) (c mod magnitudes f).
Proof.
  intros Hc. unfold decode, is_negative, magnitude, codes. rewrite Hc.
  pose proof (magnitudes_positive f Hwfs) as HM. set (M := magnitudes f) in *.
  destruct (is_signed f); cbn [andb].
  - pose proof (Z.div_mod c M ltac:(lia)) as D1. pose proof (Z.mod_pos_bound c M HM) as B1.
    set (k := c / M) in *. set (a := c mod M) in *.
    pose proof (Zdiv2_odd_eqn k) as D2.
    assert (Hmod : c mod (2 * M) = (if Z.odd k then M else 0) + a).
    { symmetry. apply Z.mod_unique with (Z.div2 k); destruct (Z.odd k); nia. }
    rewrite Hmod. destruct (Z.odd k).
    + replace (M <=? M + a) with true by (symmetry; apply Z.leb_le; lia).
      f_equal. symmetry. apply Z.mod_unique with 1; lia.
    + replace (M <=? 0 + a) with false by (symmetry; apply Z.leb_gt; lia).
      f_equal. apply Z.mod_small. lia.
  - f_equal. apply Z.mod_small. apply Z.mod_pos_bound. exact HM.
Qed.

Definition scale_of (k : Z) : Z := if is_signed f then k / 2 else k.

Lemma meaning_of_split x : coding f = SignMagnitude -> 0 <= x < inputs s ->
  meaning_of s x = meaning_at (scale_of (x / magnitudes f)) (is_signed f && Z.odd (x / magnitudes f)) (x mod magnitudes f).
Proof.
  intros Hc Hx. pose proof (magnitudes_positive f Hwfs) as HM.
  assert (Hscale : scale_of (x / magnitudes f) = x / codes f).
  { unfold scale_of, codes. destruct (is_signed f); [|reflexivity].
    rewrite Z.div_div by lia. f_equal. lia. }
  pose proof (decode_split x Hc) as D. rewrite Hscale. unfold meaning_at.
  destruct s as [g|h g|h g|g]; cbn [value_format meaning_of inputs] in *; rewrite <- D; try reflexivity;
    rewrite Z.mod_small by exact Hx; reflexivity.
Qed.

Lemma meaning_at_shape scale negative :
  (forall a, meaning_at scale negative a = MNan negative 0) \/
  (forall a, meaning_at scale negative a =
    match meaning_of_magnitude f negative a with MNan n p => MNan n p | _ => MNumber false 0 0 end) \/
  exists k, forall a, meaning_at scale negative a =
    match meaning_of_magnitude f negative a with MNumber n m e => MNumber n m (e + k) | special => special end.
Proof.
  unfold meaning_at. destruct s as [g|h g|h g|g]; cbn [value_format].
  - right; right. exists 0. intros a. destruct (meaning_of_magnitude g negative a); try reflexivity. now rewrite Z.add_0_r.
  - unfold with_scale. destruct (is_nan h scale).
    + left. intros a. unfold meaning_of_magnitude. destruct nan_magnitude; [reflexivity|]. destruct inf_magnitude; reflexivity.
    + right; right. exists (- (scale - bias h)). intros a. destruct (meaning_of_magnitude g negative a); reflexivity.
  - unfold with_scale. destruct (is_nan h scale).
    + left. intros a. unfold meaning_of_magnitude. destruct nan_magnitude; [reflexivity|]. destruct inf_magnitude; reflexivity.
    + right; right. exists (scale - bias h). intros a. destruct (meaning_of_magnitude g negative a); reflexivity.
  - right. unfold meaning_of_magnitude. destruct negative.
    + left. intros a. destruct nan_magnitude; [reflexivity|]. destruct inf_magnitude; reflexivity.
    + right. exists 0. intros a. destruct nan_magnitude; [reflexivity|]. destruct inf_magnitude; [reflexivity|].
      cbn [rectified]. now rewrite Z.add_0_r.
Qed.

Lemma nan_magnitude_up a a' : nan_magnitude f a = true -> a <= a' < magnitudes f ->
  nan_magnitude f a' = true /\ a mod 2 ^ fraction_bits f <= a' mod 2 ^ fraction_bits f.
Proof.
  intros H Ha. unfold nan_magnitude, all_ones in *. destruct (specials f); [discriminate| |].
  - apply Z.ltb_lt in H. split; [apply Z.ltb_lt; lia|].
    pose proof (hidden_positive f Hwfs) as Hh. pose proof (magnitudes_split f Hwfs) as HS.
    unfold inf_code in H. set (h := 2 ^ fraction_bits f) in *.
    assert (Hmod : forall a, magnitudes f - h <= a < magnitudes f -> a mod h = a - (magnitudes f - h)).
    { intros c Hc. symmetry. apply Z.mod_unique with (2 ^ exponent_bits f - 1); nia. }
    rewrite !Hmod by lia. lia.
  - apply Z.eqb_eq in H. assert (a' = a) as -> by lia. split; [apply Z.eqb_eq; lia|lia].
Qed.

Lemma finite_magnitude_down a a' : nan_magnitude f a' = false -> inf_magnitude f a' = false -> a <= a' < magnitudes f ->
  nan_magnitude f a = false /\ inf_magnitude f a = false.
Proof.
  intros N I Ha. unfold nan_magnitude, inf_magnitude, all_ones in *. destruct (specials f); [auto| |].
  - apply Z.ltb_ge in N. apply Z.eqb_neq in I. split; [apply Z.ltb_ge; lia|apply Z.eqb_neq; lia].
  - apply Z.eqb_neq in N. split; [apply Z.eqb_neq; lia|reflexivity].
Qed.

Lemma read_payload_le p p' : p <= p' -> read_payload t p <= read_payload t p'.
Proof.
  intros H. unfold read_payload. destruct (specials t); try lia.
  apply Z.div_le_mono; [|exact H]. apply Z.pow_pos_nonneg; [lia|]. pose proof (fraction_small t Hwf). lia.
Qed.

Lemma region_bounds m e : 0 <= region t m e <= 3.
Proof.
  unfold region. destruct (has_subnormals t); [lia|]. cbv zeta.
  destruct (_ <=? _); [lia|]. destruct (_ <? _); [lia|]. destruct (_ =? _); lia.
Qed.

Lemma number_shift m e k : number false m (e + k) = (number false m e * bpow radix2 k)%R.
Proof. unfold number, F2R. cbn [cond_Zopp Fnum Fexp]. rewrite bpow_plus. ring. Qed.

Theorem outcome_between x1 x x2 :
  coding f = SignMagnitude -> 0 <= x1 <= x -> x <= x2 < inputs s ->
  0 <= class t (meaning_of s x1) -> class t (meaning_of s x1) = class t (meaning_of s x2) ->
  segment s x1 = segment s x2 ->
  meaning_outcome t b (meaning_of s x1) = meaning_outcome t b (meaning_of s x2) ->
  meaning_outcome t b (meaning_of s x) = meaning_outcome t b (meaning_of s x1).
Proof.
  intros Hc Hx1 Hx2 Hclass Hclasses Hsegment Houtcome.
  unfold segment in Hsegment. rewrite Hc in Hsegment.
  rewrite !Z.shiftr_div_pow2 in Hsegment by (apply value_bits_nonneg; exact Hwfs).
  change (2 ^ value_bits f) with (magnitudes f) in Hsegment.
  pose proof (magnitudes_positive f Hwfs) as HM.
  rewrite !meaning_of_split in * by (auto; lia).
  assert (Hk : x / magnitudes f = x1 / magnitudes f).
  { apply Z.le_antisymm; [rewrite Hsegment|]; apply Z.div_le_mono; lia. }
  symmetry in Hsegment. rewrite Hk. rewrite Hsegment in Hclasses, Houtcome.
  assert (Ha : 0 <= x1 mod magnitudes f <= x mod magnitudes f /\ x mod magnitudes f <= x2 mod magnitudes f < magnitudes f).
  { pose proof (Z.div_mod x (magnitudes f) ltac:(lia)) as D. pose proof (Z.div_mod x1 (magnitudes f) ltac:(lia)) as D1.
    pose proof (Z.div_mod x2 (magnitudes f) ltac:(lia)) as D2.
    pose proof (Z.mod_pos_bound x1 _ HM). pose proof (Z.mod_pos_bound x2 _ HM).
    rewrite Hk in D. rewrite Hsegment in D2. lia. }
  clear Hk Hsegment. set (k := x1 / magnitudes f) in *.
  set (a1 := x1 mod magnitudes f) in *. set (a := x mod magnitudes f) in *. set (a2 := x2 mod magnitudes f) in *.
  set (negative := is_signed f && Z.odd k) in *. set (scale := scale_of k) in *.
  destruct (meaning_at_shape scale negative) as [Hshape|Hshape]; [rewrite !Hshape; reflexivity|].
  unfold meaning_of_magnitude in *.
  destruct (nan_magnitude f a1) eqn:N1.
  { (* NaNs *)
    assert (Hnan : forall a, nan_magnitude f a = true ->
      meaning_at scale negative a = MNan negative ((a mod 2 ^ fraction_bits f) * 2 ^ (52 - fraction_bits f))).
    { intros c Hcn. destruct Hshape as [Hshape|[shift Hshape]]; rewrite Hshape, Hcn; reflexivity. }
    destruct (nan_magnitude_up a1 a N1) as [N P]; [lia|]. destruct (nan_magnitude_up a a2 N) as [N2 P2]; [lia|].
    rewrite !Hnan in * by assumption. cbn [meaning_outcome] in *. apply (f_equal (fun o => match o with ONan _ p => p | _ => 0 end)) in Houtcome.
    cbv beta iota in Houtcome. f_equal. apply Z.le_antisymm; [rewrite Houtcome|];
      apply read_payload_le; (apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia|assumption]). }
  destruct Hshape as [Hshape|[shift Hshape]]; rewrite !Hshape in *; rewrite N1 in *.
  { (* what a rectifier sets to zero *)
    destruct (nan_magnitude f a2) eqn:N2; [exfalso; destruct (inf_magnitude f a1); cbn [class] in Hclasses; discriminate Hclasses|].
    destruct (nan_magnitude f a) eqn:N; [destruct (nan_magnitude_up a a2 N) as [C _]; [lia|congruence]|].
    destruct (inf_magnitude f a), (inf_magnitude f a1); reflexivity. }
  destruct (inf_magnitude f a1) eqn:I1; [exfalso; cbn [class] in Hclass; lia|].
  cbn [class] in Hclass, Hclasses. pose proof (region_bounds (fst (parts f a1)) (snd (parts f a1) + shift)) as Hregion.
  destruct (nan_magnitude f a2) eqn:N2.
  { exfalso. cbn [class] in Hclasses. destruct (fst (parts f a1) =? 0); lia. }
  destruct (inf_magnitude f a2) eqn:I2; [exfalso; cbn [class] in Hclasses; lia|].
  cbn [class] in Hclasses. pose proof (region_bounds (fst (parts f a2)) (snd (parts f a2) + shift)) as Hregion2.
  destruct (Z.eqb_spec (fst (parts f a1)) 0) as [Z1|Z1]; destruct (Z.eqb_spec (fst (parts f a2)) 0) as [Z2|Z2]; try (exfalso; lia).
  { (* zeros *)
    assert (Hzero : forall a, fst (parts f a) = 0 -> magnitude_value f a = 0%R).
    { intros c Z0. unfold magnitude_value, number. rewrite Z0. apply F2R_0. }
    assert (Hsame : a1 = a2) by (apply (magnitude_value_inj f Hwfs); [lia|lia|rewrite !Hzero by assumption; reflexivity]).
    replace a with a1 by lia. rewrite N1, I1. reflexivity. }
  destruct (finite_magnitude_down a a2 N2 I2) as [N I]; [lia|]. rewrite N, I.
  pose proof (parts_nonneg f Hwfs a1 ltac:(lia)) as P1. pose proof (parts_nonneg f Hwfs a ltac:(lia)) as P.
  pose proof (parts_nonneg f Hwfs a2 ltac:(lia)) as P2.
  pose proof (magnitude_value_le f Hwfs a1 a ltac:(lia) ltac:(lia)) as V1.
  pose proof (magnitude_value_le f Hwfs a a2 ltac:(lia) ltac:(lia)) as V2.
  unfold magnitude_value in V1, V2.
  assert (Hpos : fst (parts f a) <> 0).
  { intros C. rewrite C in V1. unfold number in V1 at 2. cbn [cond_Zopp] in V1. rewrite F2R_0 in V1.
    pose proof (number_positive (fst (parts f a1)) (snd (parts f a1)) ltac:(lia)). lra. }
  cbn [meaning_outcome] in *.
  replace (fst (parts f a1) =? 0) with false in * by (symmetry; apply Z.eqb_neq; lia).
  replace (fst (parts f a2) =? 0) with false in * by (symmetry; apply Z.eqb_neq; lia).
  replace (fst (parts f a) =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
  assert (Hnumber : forall sg, (sg = true -> is_signed t = true) ->
    number_outcome t b sg (fst (parts f a1)) (snd (parts f a1) + shift) = number_outcome t b sg (fst (parts f a2)) (snd (parts f a2) + shift) ->
    number_outcome t b sg (fst (parts f a)) (snd (parts f a) + shift) = number_outcome t b sg (fst (parts f a1)) (snd (parts f a1) + shift)).
  { intros sg Hsg E. apply number_outcome_between with (fst (parts f a2)) (snd (parts f a2) + shift); auto; try lia.
    rewrite !number_shift. pose proof (bpow_gt_0 radix2 shift). split; apply Rmult_le_compat_r; lra. }
  unfold sign_outcome in *. destruct (is_signed t) eqn:Hs; [apply Hnumber; auto|].
  destruct negative; [|apply Hnumber; auto; discriminate].
  destruct (Spec.negative b); auto.
Qed.
End Between.
