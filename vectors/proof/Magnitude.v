(* SPDX-License-Identifier: Apache-2.0 *)
(* Magnitudes of a format in order, the code of a rounded magnitude, and why rounding keeps the order of inputs. *)
From Coq Require Import ZArith Reals Bool Lia Lra.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding.
Open Scope Z_scope.

(* What the proofs ask of a format. *)
Definition well_formed (t : format) : bool :=
  (0 <=? fraction_bits t) && (1 <=? exponent_bits t) &&
  (fraction_bits t <=? 52) &&
  (if fraction_bits t =? 0 then negb (has_subnormals t) else true) && (has_subnormals t || negb (is_signed t)) &&
  match coding t with
  | SignMagnitude => true
  | TwosComplement => has_subnormals t && is_signed t && match specials t with NoSpecials => true | _ => false end
  end &&
  match specials t with Ieee => 1 <=? fraction_bits t | _ => true end.

Definition magnitude_value (t : format) (a : Z) : R := number false (fst (parts t a)) (snd (parts t a)).

Lemma number_cond negative m e : number negative m e = cond_Ropp negative (number false m e).
Proof. unfold number. simpl. apply F2R_cond_Zopp. Qed.

Lemma F2R_halve m e : F2R (Float radix2 (2 * m) e) = F2R (Float radix2 m (e + 1)).
Proof.
  rewrite (F2R_change_exp radix2 e m (e + 1)) by lia. f_equal. f_equal.
  replace (e + 1 - e) with 1 by lia. rewrite Z.pow_1_r. simpl radix_val. lia.
Qed.

Section Format.
Variable t : format.
Hypothesis Hwf : well_formed t = true.

Lemma fraction_nonneg : 0 <= fraction_bits t.
Proof. unfold well_formed in Hwf. rewrite !andb_true_iff, !Z.leb_le in Hwf. tauto. Qed.
Lemma exponent_positive : 1 <= exponent_bits t.
Proof. unfold well_formed in Hwf. rewrite !andb_true_iff, !Z.leb_le in Hwf. tauto. Qed.
Lemma no_fraction : fraction_bits t = 0 -> is_signed t = false /\ has_subnormals t = false /\ coding t = SignMagnitude.
Proof.
  intros H. unfold well_formed in Hwf. rewrite !andb_true_iff, H in Hwf. simpl in Hwf.
  destruct (is_signed t), (has_subnormals t), (coding t); simpl in *; intuition congruence.
Qed.
Lemma no_subnormals : has_subnormals t = false -> is_signed t = false /\ coding t = SignMagnitude.
Proof.
  intros H. unfold well_formed in Hwf. rewrite !andb_true_iff, H in Hwf.
  destruct (is_signed t), (coding t); simpl in *; intuition congruence.
Qed.
Lemma fraction_small : fraction_bits t <= 52.
Proof. unfold well_formed in Hwf. rewrite !andb_true_iff, !Z.leb_le in Hwf. tauto. Qed.
Lemma twos : coding t = TwosComplement -> has_subnormals t = true /\ is_signed t = true /\ specials t = NoSpecials.
Proof.
  intros H. unfold well_formed in Hwf. rewrite !andb_true_iff, H in Hwf.
  destruct (is_signed t), (has_subnormals t), (specials t); simpl in *; intuition congruence.
Qed.
Lemma ieee_fraction : specials t = Ieee -> 1 <= fraction_bits t.
Proof. intros H. unfold well_formed in Hwf. rewrite !andb_true_iff, H in Hwf. apply Z.leb_le. tauto. Qed.

Lemma hidden_positive : 0 < 2 ^ fraction_bits t.
Proof. apply Z.pow_pos_nonneg; [lia|apply fraction_nonneg]. Qed.
Lemma magnitudes_split : magnitudes t = 2 ^ exponent_bits t * 2 ^ fraction_bits t.
Proof. unfold magnitudes. apply Z.pow_add_r; [pose proof exponent_positive; lia|apply fraction_nonneg]. Qed.
Lemma magnitudes_hidden : 2 * 2 ^ fraction_bits t <= magnitudes t.
Proof.
  rewrite magnitudes_split. pose proof hidden_positive.
  assert (2 ^ 1 <= 2 ^ exponent_bits t) by (apply Z.pow_le_mono_r; [lia|apply exponent_positive]). nia.
Qed.

Lemma parts_nonneg a : 0 <= a -> 0 <= fst (parts t a).
Proof.
  intros Ha. unfold parts. destruct (coding t); [|exact Ha].
  pose proof (Z.mod_pos_bound a _ hidden_positive).
  destruct (has_subnormals t); [destruct (a / _ =? 0)|]; simpl; lia.
Qed.

Lemma magnitude_value_nonneg a : 0 <= a -> (0 <= magnitude_value t a)%R.
Proof. intros Ha. unfold magnitude_value, number. simpl. apply F2R_ge_0. simpl. now apply parts_nonneg. Qed.

Lemma magnitude_value_step a : 0 <= a -> (magnitude_value t a < magnitude_value t (a + 1))%R.
Proof.
  intros Ha. unfold magnitude_value, number, parts. simpl cond_Zopp.
  destruct (coding t); [|apply F2R_lt; simpl; lia].
  pose proof hidden_positive as Hh. set (h := 2 ^ fraction_bits t) in *.
  pose proof (Z.div_mod a h ltac:(lia)) as Hdiv.
  pose proof (Z.mod_pos_bound a h Hh) as HM.
  assert (HE : 0 <= a / h) by (apply Z.div_pos; lia).
  set (E := a / h) in *. set (M := a mod h) in *.
  destruct (Z_lt_le_dec (M + 1) h) as [H|H].
  - assert ((a + 1) / h = E) as -> by (symmetry; apply Z.div_unique with (M + 1); lia).
    assert ((a + 1) mod h = M + 1) as -> by (symmetry; apply Z.mod_unique with E; lia).
    destruct (has_subnormals t); [destruct (E =? 0)|]; simpl; apply F2R_lt; simpl; lia.
  - assert ((a + 1) / h = E + 1) as -> by (symmetry; apply Z.div_unique with 0; lia).
    assert ((a + 1) mod h = 0) as -> by (symmetry; apply Z.mod_unique with (E + 1); lia).
    replace (E + 1 =? 0) with false by (symmetry; apply Z.eqb_neq; lia).
    destruct (has_subnormals t); [destruct (Z.eqb_spec E 0) as [E0|E0]|]; simpl.
    + replace (quantum t + (E + 1) - 1) with (quantum t) by lia. apply F2R_lt. cbn [Fnum]. lia.
    + replace (quantum t + (E + 1) - 1) with (quantum t + E - 1 + 1) by lia.
      rewrite <- F2R_halve. apply F2R_lt. cbn [Fnum]. lia.
    + replace (quantum t + (E + 1)) with (quantum t + E + 1) by lia.
      rewrite <- F2R_halve. apply F2R_lt. cbn [Fnum]. lia.
Qed.

Lemma magnitude_value_lt a b : 0 <= a -> a < b -> (magnitude_value t a < magnitude_value t b)%R.
Proof.
  intros Ha Hab. replace b with (a + 1 + (b - a - 1)) by lia.
  assert (Hd : 0 <= b - a - 1) by lia. revert Hd. generalize (b - a - 1). intros d Hd.
  pattern d. apply natlike_ind with (3 := Hd); clear d Hd.
  - rewrite Z.add_0_r. now apply magnitude_value_step.
  - intros d Hd IH. apply Rlt_trans with (1 := IH).
    replace (a + 1 + Z.succ d) with (a + 1 + d + 1) by lia. apply magnitude_value_step. lia.
Qed.

Lemma magnitude_value_le a b : 0 <= a -> a <= b -> (magnitude_value t a <= magnitude_value t b)%R.
Proof.
  intros Ha Hab. destruct (Z.eq_dec a b) as [->|H]; [lra|].
  apply Rlt_le, magnitude_value_lt; lia.
Qed.

Lemma magnitude_value_inj a b : 0 <= a -> 0 <= b -> magnitude_value t a = magnitude_value t b -> a = b.
Proof.
  intros Ha Hb H. destruct (Ztrichotomy a b) as [L|[L|L]]; [|exact L|].
  - pose proof (magnitude_value_lt a b Ha L). lra.
  - pose proof (magnitude_value_lt b a Hb ltac:(lia)). lra.
Qed.

Lemma magnitude_value_le_inv a b : 0 <= a -> 0 <= b -> (magnitude_value t a <= magnitude_value t b)%R -> a <= b.
Proof.
  intros Ha Hb H. destruct (Z_le_gt_dec a b) as [L|L]; [exact L|].
  pose proof (magnitude_value_lt b a Hb ltac:(lia)). lra.
Qed.

Lemma magnitude_value_pos a : 0 < a -> (0 < magnitude_value t a)%R.
Proof.
  intros Ha. apply Rle_lt_trans with (magnitude_value t 0).
  - apply magnitude_value_nonneg. lia.
  - apply magnitude_value_lt; lia.
Qed.

Lemma magnitude_value_zero : has_subnormals t = true -> magnitude_value t 0 = 0%R.
Proof.
  intros H. unfold magnitude_value, number, parts. rewrite H. pose proof hidden_positive.
  destruct (coding t); simpl; rewrite ?Z.div_0_l, ?Z.mod_0_l by lia; simpl; apply F2R_0.
Qed.

(* The magnitude with significand n in units of 2^(quantum + d). *)
Lemma magnitude_value_of n d :
  coding t = SignMagnitude -> 0 <= d -> 0 <= n <= 2 * 2 ^ fraction_bits t ->
  (has_subnormals t = true /\ d = 0) \/ 2 ^ fraction_bits t <= n ->
  let a := n + d * 2 ^ fraction_bits t - (if has_subnormals t then 0 else 2 ^ fraction_bits t) in
  0 <= a /\ magnitude_value t a = F2R (Float radix2 n (quantum t + d)).
Proof.
  intros Hc Hd Hn Hcase. pose proof hidden_positive as Hh.
  unfold magnitude_value, number, parts. rewrite Hc. simpl cond_Zopp.
  set (h := 2 ^ fraction_bits t) in *.
  destruct (has_subnormals t) eqn:Hsub; cbv zeta.
  - split; [nia|]. rewrite Z.sub_0_r.
    destruct (Z_lt_le_dec n h) as [L|L].
    { destruct Hcase as [[_ ->]|]; [|lia].
      assert ((n + 0 * h) / h = 0) as -> by (apply Z.div_small; lia).
      assert ((n + 0 * h) mod h = n) as -> by (rewrite Z.mod_small; lia).
      simpl. f_equal. f_equal. lia. }
    destruct (Z.eq_dec n (2 * h)) as [->|N].
    { assert ((2 * h + d * h) / h = d + 2) as -> by (symmetry; apply Z.div_unique with 0; lia).
      assert ((2 * h + d * h) mod h = 0) as -> by (symmetry; apply Z.mod_unique with (d + 2); lia).
      replace (d + 2 =? 0) with false by (symmetry; apply Z.eqb_neq; lia). simpl fst; simpl snd.
      rewrite F2R_halve. f_equal. f_equal; lia. }
    assert ((n + d * h) / h = d + 1) as -> by (symmetry; apply Z.div_unique with (n - h); lia).
    assert ((n + d * h) mod h = n - h) as -> by (symmetry; apply Z.mod_unique with (d + 1); lia).
    replace (d + 1 =? 0) with false by (symmetry; apply Z.eqb_neq; lia). simpl fst; simpl snd.
    f_equal. f_equal; lia.
  - destruct Hcase as [[C _]|L]; [discriminate|]. split; [nia|].
    destruct (Z.eq_dec n (2 * h)) as [->|N].
    { assert ((2 * h + d * h - h) / h = d + 1) as -> by (symmetry; apply Z.div_unique with 0; lia).
      assert ((2 * h + d * h - h) mod h = 0) as -> by (symmetry; apply Z.mod_unique with (d + 1); lia).
      simpl fst; simpl snd. rewrite F2R_halve. f_equal. f_equal; lia. }
    assert ((n + d * h - h) / h = d) as -> by (symmetry; apply Z.div_unique with (n - h); lia).
    assert ((n + d * h - h) mod h = n - h) as -> by (symmetry; apply Z.mod_unique with d; lia).
    simpl fst; simpl snd. f_equal. f_equal; lia.
Qed.

(* The code of the magnitude that m 2^e is rounded to; it may be beyond the largest. *)
Definition round_magnitude (r : rounding_choice) (negative : bool) (m e : Z) : Z :=
  let d := Zdigits2 m + e in
  let q := grid t d in
  let n :=
    if q <=? e then Z.shiftl m (e - q)
    else
      let lower := Z.shiftr m (q - e) in
      let unit := Z.shiftl 1 (q - e) in
      let rest := m - Z.shiftl lower (q - e) in
      if rest =? 0 then lower
      else if goes_up t r negative (d - 1 + bias t) lower rest unit m then lower + 1 else lower in
  match coding t with
  | TwosComplement => n
  | SignMagnitude => n + (q - quantum t) * 2 ^ fraction_bits t - (if has_subnormals t then 0 else 2 ^ fraction_bits t)
  end.

Instance grid_prec : Prec_gt_0 (fraction_bits t + 1).
Proof. red. pose proof fraction_nonneg. lia. Qed.
Global Instance grid_valid : Valid_exp (grid t).
Proof. unfold grid. destruct (coding t); [apply FLT_exp_valid, grid_prec|apply FIX_exp_valid]. Qed.

Lemma grid_quantum d : quantum t <= grid t d.
Proof. unfold grid. destruct (coding t); [apply Z.le_max_r|reflexivity]. Qed.

Lemma round_magnitude_correct r negative m e :
  0 < m -> (has_subnormals t = true \/ emin t + 1 <= Zdigits2 m + e) -> (negative = true -> fraction_bits t <> 0) ->
  0 <= round_magnitude r negative m e /\
  rounded t r (number negative m e) = cond_Ropp negative (magnitude_value t (round_magnitude r negative m e)).
Proof.
  intros Hm Hlow Hneg. rewrite Zdigits2_Zdigits in Hlow.
  unfold round_magnitude. rewrite Zdigits2_Zdigits.
  set (d := Zdigits radix2 m + e). set (q := grid t d).
  assert (Hpq : quantum t <= q) by apply grid_quantum.
  assert (Hv : number negative m e <> 0%R).
  { rewrite number_cond. assert (0 < number false m e)%R by (apply F2R_gt_0; exact Hm).
    destruct negative; simpl; lra. }
  assert (Hmag : mag radix2 (number negative m e) = d :> Z).
  { rewrite number_cond. rewrite <- mag_abs, abs_cond_Ropp, mag_abs.
    unfold number. simpl cond_Zopp. rewrite mag_F2R_Zdigits by lia. reflexivity. }
  assert (Hfield : field t (number negative m e) = d - 1 + bias t) by (unfold field; rewrite Hmag; reflexivity).
  set (v := number negative m e) in *.
  pose proof (Zdigits_correct radix2 m) as Hdig. rewrite Z.abs_eq in Hdig by lia. simpl radix_val in Hdig.
  assert (Hdpos : 0 < Zdigits radix2 m) by (apply Zdigits_gt_0; lia).
  set (dm := Zdigits radix2 m) in *.
  set (n := if q <=? e then _ else _).
  (* the integer *)
  assert (Hn : to_integer t r v (scaled_mantissa radix2 (grid t) v) = cond_Zopp negative n).
  { unfold scaled_mantissa, cexp. rewrite Hmag. fold q. unfold n.
    destruct (Z.leb_spec q e) as [L|L].
    - replace (v * bpow radix2 (- q))%R with (IZR (cond_Zopp negative (Z.shiftl m (e - q)))).
      { apply (@Zrnd_IZR _ (valid_to_integer t r v)). }
      rewrite Z.shiftl_mul_pow2 by lia. unfold v, number, F2R; simpl.
      rewrite Rmult_assoc, <- bpow_plus.
      replace (e + - q) with (e - q) by lia.
      rewrite <- (IZR_Zpower radix2) by lia. rewrite <- mult_IZR. f_equal.
      simpl radix_val. destruct negative; simpl; lia.
    - rewrite Z.shiftr_div_pow2, !Z.shiftl_mul_pow2, Z.mul_1_l by lia.
      assert (Hu : 0 < 2 ^ (q - e)) by (apply Z.pow_pos_nonneg; lia).
      replace (v * bpow radix2 (- q))%R with (cond_Ropp negative (IZR m / IZR (2 ^ (q - e)))).
      + rewrite to_integer_eval by assumption.
        rewrite Hfield.
        replace (m - m / 2 ^ (q - e) * 2 ^ (q - e)) with (m mod 2 ^ (q - e)) by (rewrite Z.mod_eq; lia).
        reflexivity.
      + change 2 with (radix_val radix2). rewrite IZR_Zpower by lia.
        unfold v. rewrite number_cond. unfold number, F2R; simpl.
        replace (- q) with (- (q - e) + - e) by lia. rewrite bpow_plus, !bpow_opp.
        pose proof (bpow_gt_0 radix2 (q - e)). pose proof (bpow_gt_0 radix2 e).
        destruct negative; simpl; field; lra. }
  (* its bounds *)
  assert (Hn0 : 0 <= n).
  { unfold n. destruct (q <=? e).
    - apply Z.shiftl_nonneg. lia.
    - assert (0 <= Z.shiftr m (q - e)) by (apply Z.shiftr_nonneg; lia).
      destruct (_ =? 0); [assumption|]. destruct goes_up; lia. }
  assert (Hround : rounded t r v = cond_Ropp negative (F2R (Float radix2 n q))).
  { unfold rounded, round. rewrite Hn. unfold cexp. rewrite Hmag. fold q. apply F2R_cond_Zopp. }
  rewrite Hround.
  destruct (coding t) eqn:Hc.
  2:{ split; [exact Hn0|]. f_equal. unfold magnitude_value, number, parts. rewrite Hc. simpl.
      unfold q, grid. rewrite Hc. reflexivity. }
  pose proof fraction_nonneg as Hf. pose proof hidden_positive as Hh.
  assert (Hq : q = Z.max (d - (fraction_bits t + 1)) (quantum t)) by (unfold q, grid; rewrite Hc; reflexivity).
  assert (Hpow : 2 * 2 ^ fraction_bits t = 2 ^ (fraction_bits t + 1)) by (rewrite Z.pow_add_r by lia; lia).
  assert (Hup : n <= 2 * 2 ^ fraction_bits t).
  { unfold n. rewrite Hpow. destruct (Z.leb_spec q e) as [L|L].
    - rewrite Z.shiftl_mul_pow2 by lia. apply Z.le_trans with (2 ^ (dm + (e - q))).
      + rewrite Z.pow_add_r by lia. apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia|lia].
      + apply Z.pow_le_mono_r; [lia|]. unfold d in *. lia.
    - assert (Hlo : Z.shiftr m (q - e) < 2 ^ (fraction_bits t + 1)).
      { rewrite Z.shiftr_div_pow2 by lia. apply Z.div_lt_upper_bound; [apply Z.pow_pos_nonneg; lia|].
        rewrite <- Z.pow_add_r by lia. apply Z.lt_le_trans with (2 ^ dm); [lia|].
        apply Z.pow_le_mono_r; [lia|]. unfold d in *. lia. }
      destruct (_ =? 0); [lia|]. destruct goes_up; lia. }
  assert (Hdown : q = d - (fraction_bits t + 1) -> 2 ^ fraction_bits t <= n).
  { intros Hqd. unfold n. destruct (Z.leb_spec q e) as [L|L].
    - rewrite Z.shiftl_mul_pow2 by lia. apply Z.le_trans with (2 ^ (dm - 1 + (e - q))).
      + apply Z.pow_le_mono_r; [lia|]. unfold d in *. lia.
      + rewrite Z.pow_add_r by lia. apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia|lia].
    - assert (Hlo : 2 ^ fraction_bits t <= Z.shiftr m (q - e)).
      { rewrite Z.shiftr_div_pow2 by lia. apply Z.div_le_lower_bound; [apply Z.pow_pos_nonneg; lia|].
        rewrite <- Z.pow_add_r by lia. apply Z.le_trans with (2 ^ (dm - 1)); [|lia].
        apply Z.pow_le_mono_r; [lia|]. unfold d in *. lia. }
      destruct (_ =? 0); [lia|]. destruct goes_up; lia. }
  destruct (magnitude_value_of n (q - quantum t) Hc ltac:(lia) (conj Hn0 Hup)) as [H0 H1].
  { destruct (Z_lt_le_dec (d - (fraction_bits t + 1)) (quantum t)) as [L|L].
    - destruct (has_subnormals t) eqn:Hsub.
      + left. split; [reflexivity|lia].
      + right. destruct Hlow as [X|X]; [discriminate|]. unfold quantum in *. lia.
    - right. apply Hdown. lia. }
  split; [exact H0|]. rewrite H1. f_equal. f_equal. f_equal. lia.
Qed.

Lemma to_integer_same r v w : (fraction_bits t <> 0 \/ mag radix2 v = mag radix2 w :> Z) -> to_integer t r v = to_integer t r w.
Proof.
  intros H. destruct r; simpl; try reflexivity; destruct (Z.eqb_spec (fraction_bits t) 0); try reflexivity;
    unfold field; destruct H as [H|H]; try contradiction; rewrite H; reflexivity.
Qed.

(* Rounding keeps order. Where a format has no fraction, ties of neighbouring binades go different ways; but they meet at a power of
   two, which stays. *)
Lemma rounded_le r v w :
  (fraction_bits t <> 0 \/ (bpow radix2 (emin t) <= v)%R) -> (v <= w)%R -> (rounded t r v <= rounded t r w)%R.
Proof.
  intros Hlow Hvw. unfold rounded.
  destruct (Z.eq_dec (fraction_bits t) 0) as [F|F].
  2:{ rewrite (to_integer_same r v w) by auto. apply round_le; [apply grid_valid|apply valid_to_integer|exact Hvw]. }
  destruct Hlow as [Hlow|Hlow]; [contradiction|].
  assert (Hv : (0 < v)%R) by (apply Rlt_le_trans with (2 := Hlow); apply bpow_gt_0).
  destruct (Z.eq_dec (mag radix2 v) (mag radix2 w)) as [E|E].
  { rewrite (to_integer_same r v w) by auto. apply round_le; [apply grid_valid|apply valid_to_integer|exact Hvw]. }
  assert (Hmag : mag radix2 v < mag radix2 w).
  { assert (mag radix2 v <= mag radix2 w) by (apply mag_le; lra). lia. }
  assert (Hmin : emin t + 1 <= mag radix2 v).
  { apply mag_ge_bpow. replace (emin t + 1 - 1) with (emin t) by lia. rewrite Rabs_pos_eq; lra. }
  destruct (no_fraction F) as [_ [_ Hc]].
  assert (Hgrid : forall k, emin t <= k -> generic_format radix2 (grid t) (bpow radix2 k)).
  { intros k Hk. apply generic_format_bpow. unfold grid, FLT_exp. rewrite Hc. unfold quantum. lia. }
  apply Rle_trans with (bpow radix2 (mag radix2 v)).
  - apply round_le_generic; [apply grid_valid|apply valid_to_integer|apply Hgrid; lia|].
    apply Rlt_le. pose proof (bpow_mag_gt radix2 v) as B. rewrite Rabs_pos_eq in B; lra.
  - apply round_ge_generic; [apply grid_valid|apply valid_to_integer|apply Hgrid; lia|].
    apply Rle_trans with (bpow radix2 (mag radix2 w - 1)).
    + apply bpow_le. lia.
    + pose proof (bpow_mag_le radix2 w) as B. rewrite Rabs_pos_eq in B; [apply B|]; lra.
Qed.
End Format.
