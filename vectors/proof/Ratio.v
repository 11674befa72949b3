(* SPDX-License-Identifier: Apache-2.0 *)
(* Rounding of a positive ratio, m 2^e / d, computed on whole numbers and proven to be that of Spec.v. *)
From Coq Require Import ZArith Reals Bool Lia Lra.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude.
Open Scope Z_scope.

Definition ratio (m e d : Z) : R := (number false m e / IZR d)%R.

(* The exponent of the power of two above. *)
Definition ratio_mag (m e d : Z) : Z :=
  let k := Zdigits2 m - Zdigits2 d in
  (if (if 0 <=? k then Z.shiftl d k <=? m else d <=? Z.shiftl m (- k)) then k + 1 else k) + e.

Lemma number_IZR m e : number false m e = (IZR m * bpow radix2 e)%R.
Proof. reflexivity. Qed.

Lemma shiftl_IZR m k : 0 <= k -> IZR (Z.shiftl m k) = (IZR m * bpow radix2 k)%R.
Proof.
  intros H. rewrite Z.shiftl_mul_pow2, mult_IZR by exact H. change 2 with (radix_val radix2). rewrite IZR_Zpower by exact H. reflexivity.
Qed.

Lemma digits_bounds m : 0 < m -> (bpow radix2 (Zdigits2 m - 1) <= IZR m < bpow radix2 (Zdigits2 m))%R.
Proof.
  intros H. rewrite Zdigits2_Zdigits. pose proof (Zdigits_correct radix2 m) as D. rewrite Z.abs_eq in D by lia.
  assert (Hd : 0 < Zdigits radix2 m) by (apply Zdigits_gt_0; lia).
  rewrite <- !IZR_Zpower by lia. split; [now apply IZR_le|now apply IZR_lt].
Qed.

Lemma ratio_positive m e d : 0 < m -> 0 < d -> (0 < ratio m e d)%R.
Proof.
  intros Hm Hd. unfold ratio. apply Rdiv_lt_0_compat; [apply F2R_gt_0; exact Hm|now apply IZR_lt].
Qed.

Lemma ratio_mag_bounds m e d : 0 < m -> 0 < d ->
  (bpow radix2 (ratio_mag m e d - 1) <= ratio m e d < bpow radix2 (ratio_mag m e d))%R.
Proof.
  intros Hm Hd. unfold ratio_mag. cbv zeta. set (k := Zdigits2 m - Zdigits2 d).
  destruct (digits_bounds m Hm) as [M1 M2]. destruct (digits_bounds d Hd) as [D1 D2].
  assert (HD : (0 < IZR d)%R) by now apply IZR_lt.
  assert (HM : (0 < IZR m)%R) by now apply IZR_lt.
  set (above := if 0 <=? k then _ else _).
  assert (Habove : if above then (IZR d * bpow radix2 k <= IZR m)%R else (IZR m < IZR d * bpow radix2 k)%R).
  { unfold above. destruct (Z.leb_spec 0 k) as [L|L].
    - rewrite <- shiftl_IZR by exact L. destruct (Z.leb_spec (Z.shiftl d k) m); [now apply IZR_le|now apply IZR_lt].
    - pose proof (bpow_gt_0 radix2 k) as Hb.
      assert (Hk : IZR (Z.shiftl m (- k)) = (IZR m / bpow radix2 k)%R).
      { rewrite shiftl_IZR by lia. rewrite bpow_opp. reflexivity. }
      destruct (Z.leb_spec d (Z.shiftl m (- k))) as [H|H].
      + apply IZR_le in H. rewrite Hk in H. apply Rmult_le_compat_r with (r := bpow radix2 k) in H; [|lra].
        unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H; lra.
      + apply IZR_lt in H. rewrite Hk in H. apply Rmult_lt_compat_r with (r := bpow radix2 k) in H; [|lra].
        unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H; lra. }
  assert (Hlow : (IZR d * bpow radix2 (k - 1) <= IZR m)%R).
  { apply Rle_trans with (bpow radix2 (Zdigits2 d) * bpow radix2 (k - 1))%R.
    - apply Rmult_le_compat_r; [apply bpow_ge_0|lra].
    - rewrite <- bpow_plus. unfold k. replace (Zdigits2 d + (Zdigits2 m - Zdigits2 d - 1)) with (Zdigits2 m - 1) by lia. exact M1. }
  assert (Hhigh : (IZR m < IZR d * bpow radix2 (k + 1))%R).
  { apply Rlt_le_trans with (1 := M2). apply Rle_trans with (bpow radix2 (Zdigits2 d - 1) * bpow radix2 (k + 1))%R.
    - rewrite <- bpow_plus. apply bpow_le. unfold k. lia.
    - apply Rmult_le_compat_r; [apply bpow_ge_0|exact D1]. }
  assert (Hto : forall j, (IZR d * bpow radix2 j <= IZR m)%R -> (bpow radix2 (j + e) <= ratio m e d)%R).
  { intros j H. unfold ratio. rewrite number_IZR. rewrite bpow_plus. pose proof (bpow_gt_0 radix2 e).
    apply Rmult_le_reg_r with (IZR d); [exact HD|].
    replace (IZR m * bpow radix2 e / IZR d * IZR d)%R with (IZR m * bpow radix2 e)%R by (field; lra).
    replace (bpow radix2 j * bpow radix2 e * IZR d)%R with (IZR d * bpow radix2 j * bpow radix2 e)%R by ring.
    apply Rmult_le_compat_r; lra. }
  assert (Hfrom : forall j, (IZR m < IZR d * bpow radix2 j)%R -> (ratio m e d < bpow radix2 (j + e))%R).
  { intros j H. unfold ratio. rewrite number_IZR. rewrite bpow_plus. pose proof (bpow_gt_0 radix2 e).
    apply Rmult_lt_reg_r with (IZR d); [exact HD|].
    replace (IZR m * bpow radix2 e / IZR d * IZR d)%R with (IZR m * bpow radix2 e)%R by (field; lra).
    replace (bpow radix2 j * bpow radix2 e * IZR d)%R with (IZR d * bpow radix2 j * bpow radix2 e)%R by ring.
    apply Rmult_lt_compat_r; lra. }
  destruct above.
  - replace (k + 1 + e - 1) with (k + e) by lia. split; [apply Hto, Habove|apply Hfrom, Hhigh].
  - replace (k + e - 1) with (k - 1 + e) by lia. split; [apply Hto, Hlow|apply Hfrom, Habove].
Qed.

Lemma ratio_mag_correct m e d : 0 < m -> 0 < d -> mag radix2 (ratio m e d) = ratio_mag m e d :> Z.
Proof.
  intros Hm Hd. apply mag_unique_pos. apply ratio_mag_bounds; assumption.
Qed.

Section Format.
Variable t : format.
Hypothesis Hwf : well_formed t = true.

(* The code of the magnitude that a ratio is rounded to; it may be beyond the largest. *)
Definition round_ratio (r : rounding_choice) (m e d : Z) : Z :=
  let k := ratio_mag m e d in
  let q := grid t k in
  let top := if q <=? e then Z.shiftl m (e - q) else m in
  let unit := if q <=? e then d else Z.shiftl d (q - e) in
  let lower := top / unit in
  let rest := top - lower * unit in
  let n :=
    if rest =? 0 then lower
    else if goes_up t r false (k - 1 + bias t) lower rest unit top then lower + 1 else lower in
  n + (q - quantum t) * 2 ^ fraction_bits t - (if has_subnormals t then 0 else 2 ^ fraction_bits t).

Lemma round_ratio_correct r m e d : coding t = SignMagnitude -> 0 < m -> 0 < d ->
  (has_subnormals t = true \/ emin t + 1 <= ratio_mag m e d) ->
  0 <= round_ratio r m e d /\ rounded t r (ratio m e d) = magnitude_value t (round_ratio r m e d).
Proof.
  intros Hc Hm Hd Hlow. unfold round_ratio.
  pose proof (ratio_mag_bounds m e d Hm Hd) as Hbounds. pose proof (ratio_mag_correct m e d Hm Hd) as Hmag.
  pose proof (ratio_positive m e d Hm Hd) as Hpos.
  set (k := ratio_mag m e d) in *. set (q := grid t k). set (v := ratio m e d) in *.
  assert (Hpq : quantum t <= q) by (apply grid_quantum).
  set (top := if q <=? e then _ else m). set (unit := if q <=? e then d else _).
  assert (HD : (0 < IZR d)%R) by now apply IZR_lt.
  assert (Htop : 0 < top).
  { unfold top. destruct (Z.leb_spec q e); [|exact Hm]. rewrite Z.shiftl_mul_pow2 by lia.
    apply Z.mul_pos_pos; [exact Hm|apply Z.pow_pos_nonneg; lia]. }
  assert (Hunit : 0 < unit).
  { unfold unit. destruct (Z.leb_spec q e); [exact Hd|]. rewrite Z.shiftl_mul_pow2 by lia.
    apply Z.mul_pos_pos; [exact Hd|apply Z.pow_pos_nonneg; lia]. }
  assert (HU : (0 < IZR unit)%R) by now apply IZR_lt.
  assert (Hx : (v * bpow radix2 (- q) = IZR top / IZR unit)%R).
  { unfold v, ratio. rewrite number_IZR. unfold top, unit. pose proof (bpow_gt_0 radix2 q) as B. pose proof (bpow_gt_0 radix2 e) as B'.
    destruct (Z.leb_spec q e) as [L|L].
    - rewrite shiftl_IZR by lia. replace (e - q) with (e + - q) by lia. rewrite bpow_plus. field. lra.
    - rewrite shiftl_IZR by lia. replace (q - e) with (q + - e) by lia. rewrite bpow_plus, !bpow_opp. field. lra. }
  set (lower := top / unit).
  assert (Hrest : top - lower * unit = top mod unit) by (unfold lower; rewrite Z.mod_eq; lia).
  rewrite Hrest.
  set (n := if top mod unit =? 0 then lower else _).
  assert (Hn : to_integer t r v (scaled_mantissa radix2 (grid t) v) = n).
  { unfold scaled_mantissa, cexp. rewrite Hmag. fold q. rewrite Hx.
    pose proof (to_integer_eval t r v false top unit Htop Hunit ltac:(discriminate)) as E. cbn [cond_Ropp cond_Zopp] in E. rewrite E.
    unfold field. rewrite Hmag. reflexivity. }
  assert (Hround : rounded t r v = F2R (Float radix2 n q)).
  { unfold rounded, round. rewrite Hn. unfold cexp. rewrite Hmag. reflexivity. }
  rewrite Hround.
  pose proof (fraction_nonneg t Hwf) as Hf. pose proof (hidden_positive t Hwf) as Hh.
  assert (Hq : q = Z.max (k - (fraction_bits t + 1)) (quantum t)) by (unfold q, grid; rewrite Hc; reflexivity).
  assert (Hpow : 2 * 2 ^ fraction_bits t = 2 ^ (fraction_bits t + 1)) by (rewrite Z.pow_add_r by lia; lia).
  assert (Hfloor : lower = Zfloor (v * bpow radix2 (- q))).
  { rewrite Hx. symmetry. apply Zfloor_div. lia. }
  assert (Hscaled : (bpow radix2 (k - 1 - q) <= v * bpow radix2 (- q) < bpow radix2 (k - q))%R).
  { pose proof (bpow_gt_0 radix2 (- q)). replace (k - 1 - q) with (k - 1 + - q) by lia. replace (k - q) with (k + - q) by lia.
    rewrite !bpow_plus. split; [apply Rmult_le_compat_r; lra|apply Rmult_lt_compat_r; lra]. }
  assert (Hlow0 : 0 <= lower) by (unfold lower; apply Z.div_pos; lia).
  assert (Hlo : lower < 2 ^ (fraction_bits t + 1)).
  { apply lt_IZR. apply Rle_lt_trans with (v * bpow radix2 (- q))%R.
    - rewrite Hfloor. apply Zfloor_lb.
    - change 2 with (radix_val radix2). rewrite IZR_Zpower by lia. apply Rlt_le_trans with (1 := proj2 Hscaled). apply bpow_le. lia. }
  assert (Hn0 : 0 <= n) by (unfold n; destruct (_ =? 0); [|destruct goes_up]; lia).
  assert (Hup : n <= 2 * 2 ^ fraction_bits t) by (rewrite Hpow; unfold n; destruct (_ =? 0); [|destruct goes_up]; lia).
  assert (Hdown : q = k - (fraction_bits t + 1) -> 2 ^ fraction_bits t <= n).
  { intros Hqk. assert (2 ^ fraction_bits t <= lower).
    { rewrite Hfloor. apply Zfloor_lub. change 2 with (radix_val radix2). rewrite IZR_Zpower by lia.
      apply Rle_trans with (2 := proj1 Hscaled). apply bpow_le. lia. }
    unfold n. destruct (_ =? 0); [|destruct goes_up]; lia. }
  destruct (magnitude_value_of t Hwf n (q - quantum t) Hc ltac:(lia) (conj Hn0 Hup)) as [H0 H1].
  { destruct (Z_lt_le_dec (k - (fraction_bits t + 1)) (quantum t)) as [L|L].
    - destruct (has_subnormals t) eqn:Hsub.
      + left. split; [reflexivity|lia].
      + right. destruct Hlow as [X|X]; [discriminate|]. unfold quantum in *. lia.
    - right. apply Hdown. lia. }
  split; [exact H0|]. rewrite H1. f_equal. f_equal. lia.
Qed.
End Format.
