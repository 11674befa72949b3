(* SPDX-License-Identifier: Apache-2.0 *)
(* Rounding computed on whole numbers, and proven to be that of Spec.v. *)
From Coq Require Import ZArith Reals Bool Lia Lra.
From Flocq Require Import Core Round_odd.
From Mxcert Require Import Formats Spec.
Open Scope Z_scope.

(* Zlog2 is a rounding: it keeps order, and keeps integers. *)
Lemma Zlog2_magnitude_IZR n : Zlog2_magnitude (IZR n) = n.
Proof. unfold Zlog2_magnitude. rewrite Zfloor_IZR, Req_bool_true; auto. Qed.

Lemma Zlog2_magnitude_bounds x : (0 <= x)%R -> Zfloor x <= Zlog2_magnitude x <= Zceil x.
Proof.
  intros Hx. unfold Zlog2_magnitude.
  case Req_bool_spec; intros H.
  - split; [lia|]. rewrite H at 2. rewrite Zceil_IZR. lia.
  - rewrite Zceil_floor_neq by congruence. case Rle_bool; lia.
Qed.

Lemma Zlog2_magnitude_le x y : (0 <= x)%R -> (x <= y)%R -> Zlog2_magnitude x <= Zlog2_magnitude y.
Proof.
  intros Hx Hxy.
  assert (Hy : (0 <= y)%R) by lra.
  pose proof (Zlog2_magnitude_bounds x Hx) as Bx.
  pose proof (Zlog2_magnitude_bounds y Hy) as By.
  pose proof (Zfloor_le x y Hxy) as Hf.
  destruct (Z.eq_dec (Zfloor x) (Zfloor y)) as [E|E].
  - unfold Zlog2_magnitude. rewrite E.
    assert (Hfx : (IZR (Zfloor y) <= x)%R) by (rewrite <- E; apply Zfloor_lb).
    case (Req_bool_spec x); intros H1; case (Req_bool_spec y); intros H2; try lia.
    + case Rle_bool; lia.
    + exfalso. apply H1. lra.
    + case Rle_bool_spec; intros H3; case Rle_bool_spec; intros H4; try lia.
      exfalso. assert (x * x <= y * y)%R by (apply Rmult_le_compat; lra). lra.
  - enough (Zceil x <= Zfloor y) by lia.
    apply Zceil_glb.
    assert (Zfloor x + 1 <= Zfloor y) by lia.
    apply Rle_trans with (IZR (Zfloor x + 1)); [|now apply IZR_le].
    rewrite plus_IZR. apply Rlt_le, Zfloor_ub.
Qed.

Lemma Zlog2_magnitude_nonneg x : (0 <= x)%R -> 0 <= Zlog2_magnitude x.
Proof.
  intros Hx. pose proof (Zlog2_magnitude_bounds x Hx).
  enough (0 <= Zfloor x) by lia. now apply Zfloor_lub.
Qed.

Global Instance valid_rnd_log2 : Valid_rnd Zlog2.
Proof.
  split.
  - intros x y Hxy. unfold Zlog2.
    case (Rle_bool_spec 0 x); intros Hx; case (Rle_bool_spec 0 y); intros Hy.
    + now apply Zlog2_magnitude_le.
    + lra.
    + pose proof (Zlog2_magnitude_nonneg y Hy). assert (0 <= - x)%R as Hx' by lra.
      pose proof (Zlog2_magnitude_nonneg (- x) Hx'). lia.
    + enough (Zlog2_magnitude (- y) <= Zlog2_magnitude (- x)) by lia. apply Zlog2_magnitude_le; lra.
  - intros n. unfold Zlog2. case Rle_bool_spec; intros H.
    + apply Zlog2_magnitude_IZR.
    + rewrite <- opp_IZR, Zlog2_magnitude_IZR. lia.
Qed.

Global Instance valid_to_integer t r v : Valid_rnd (to_integer t r v).
Proof.
  destruct r; simpl; try exact _;
    destruct (fraction_bits t =? 0); try exact _; destruct (Z.odd (field t v)); exact _.
Qed.

(* Whether a magnitude goes to the upper one of its neighbours n and n + 1 on the grid: it is n + rest / unit, and unit times that is m. *)
Definition goes_up (t : format) (r : rounding_choice) (negative : bool) (lower_field n rest unit m : Z) : bool :=
  let odd := if fraction_bits t =? 0 then Z.odd lower_field else Z.odd n in
  match r with
  | NearestEven => (unit <? 2 * rest) || ((2 * rest =? unit) && odd)
  | NearestAway => unit <=? 2 * rest
  | NearestZero => unit <? 2 * rest
  | TowardZero => false
  | Up => negb negative
  | Down => negative
  | AwayFromZero => true
  | ToOdd => negb odd
  | NearestLog2 => n * (n + 1) * (unit * unit) <=? m * m
  end.

Lemma Znearest_eval choice x k p unit :
  Zfloor x = k -> (x - IZR k = IZR p / IZR unit)%R -> 0 < p < unit ->
  Znearest choice x = match 2 * p ?= unit with Lt => k | Eq => if choice k then k + 1 else k | Gt => k + 1 end.
Proof.
  intros Hk Hx Hp. unfold Znearest. rewrite Hk, Hx.
  assert (Hc : Zceil x = k + 1).
  { rewrite Zceil_floor_neq, Hk; [reflexivity|]. rewrite Hk. intros H.
    assert (0 < IZR p / IZR unit)%R by (apply Rdiv_lt_0_compat; apply IZR_lt; lia). lra. }
  rewrite Hc.
  assert (Hu : (0 < IZR unit)%R) by (apply IZR_lt; lia).
  replace (Rcompare (IZR p / IZR unit) (/ 2)) with (2 * p ?= unit); [reflexivity|].
  rewrite <- Rcompare_IZR, mult_IZR.
  rewrite <- (Rcompare_mult_l (2 * IZR unit) (IZR p / IZR unit)) by lra.
  f_equal; field; lra.
Qed.

Lemma odd_negb_even n : Z.odd n = negb (Z.even n).
Proof. rewrite <- Z.negb_odd, negb_involutive. reflexivity. Qed.

Lemma to_integer_eval t r v negative m unit :
  0 < m -> 0 < unit -> (negative = true -> fraction_bits t <> 0) ->
  to_integer t r v (cond_Ropp negative (IZR m / IZR unit)) =
  cond_Zopp negative (if m mod unit =? 0 then m / unit
                      else if goes_up t r negative (field t v) (m / unit) (m mod unit) unit m then m / unit + 1 else m / unit).
Proof.
  intros Hm Hunit Hf.
  set (n := m / unit). set (rest := m mod unit).
  assert (Hdiv : m = unit * n + rest) by (apply Z.div_mod; lia).
  assert (Hrest : 0 <= rest < unit) by (apply Z.mod_pos_bound; lia).
  assert (Hn : 0 <= n) by (apply Z.div_pos; lia).
  assert (HU : (0 < IZR unit)%R) by (apply IZR_lt; lia).
  assert (Hx : (IZR m / IZR unit = IZR n + IZR rest / IZR unit)%R).
  { rewrite Hdiv, plus_IZR, mult_IZR. field. lra. }
  rewrite Hx.
  destruct (Z.eqb_spec rest 0) as [E|E].
  - replace (cond_Ropp negative (IZR n + IZR rest / IZR unit)) with (IZR (cond_Zopp negative n)).
    + apply (@Zrnd_IZR _ (valid_to_integer t r v)).
    + rewrite IZR_cond_Zopp, E. f_equal. field. lra.
  - assert (Hfrac : (0 < IZR rest / IZR unit < 1)%R).
    { split.
      - apply Rdiv_lt_0_compat; [apply IZR_lt; lia|lra].
      - apply Rmult_lt_reg_r with (IZR unit); [lra|].
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply IZR_lt; lia. }
    assert (Hnp : (0 <= IZR n)%R) by now apply IZR_le.
    destruct negative; simpl cond_Ropp; simpl cond_Zopp.
    + (* below zero *)
      specialize (Hf eq_refl).
      set (x := (- (IZR n + IZR rest / IZR unit))%R).
      assert (Hfl : Zfloor x = - n - 1).
      { apply Zfloor_imp. unfold x. rewrite plus_IZR, minus_IZR, opp_IZR. lra. }
      assert (Hce : Zceil x = - n).
      { apply Zceil_imp. unfold x. rewrite minus_IZR, opp_IZR. lra. }
      assert (Hne : x <> IZR (Zfloor x)).
      { rewrite Hfl. unfold x. rewrite minus_IZR, opp_IZR. lra. }
      assert (Hxk : (x - IZR (- n - 1) = IZR (unit - rest) / IZR unit)%R).
      { unfold x. rewrite !minus_IZR, opp_IZR. field. lra. }
      assert (Hx0 : (x < 0)%R) by (unfold x; lra).
      assert (Hp : 0 < unit - rest < unit) by lia.
      apply Z.eqb_neq in Hf.
      destruct r; simpl to_integer; unfold goes_up; rewrite ?Hf.
      * rewrite (Znearest_eval _ x _ _ _ Hfl Hxk Hp).
        case Z.compare_spec; intros H.
        { replace (unit <? 2 * rest) with false by (symmetry; apply Z.ltb_ge; lia).
          replace (2 * rest =? unit) with true by (symmetry; apply Z.eqb_eq; lia). simpl.
          rewrite odd_negb_even. replace (- n - 1) with (- (Z.succ n)) by lia.
          rewrite Z.even_opp, Z.even_succ, odd_negb_even. destruct (Z.even n); simpl; lia. }
        { replace (unit <? 2 * rest) with true by (symmetry; apply Z.ltb_lt; lia). simpl. lia. }
        { replace (unit <? 2 * rest) with false by (symmetry; apply Z.ltb_ge; lia).
          replace (2 * rest =? unit) with false by (symmetry; apply Z.eqb_neq; lia). simpl. lia. }
      * rewrite (Znearest_eval _ x _ _ _ Hfl Hxk Hp).
        case Z.compare_spec; intros H; destruct (Z.leb_spec unit (2 * rest)); try lia.
        case Z.leb_spec; lia.
      * rewrite (Znearest_eval _ x _ _ _ Hfl Hxk Hp).
        case Z.compare_spec; intros H; destruct (Z.ltb_spec unit (2 * rest)); try lia.
        case Z.ltb_spec; lia.
      * rewrite Ztrunc_ceil by lra. lia.
      * simpl. lia.
      * lia.
      * rewrite Zaway_floor by lra. lia.
      * unfold Zrnd_odd. destruct Req_EM_T as [|_]; [contradiction|]. rewrite Hfl, Hce.
        replace (- n - 1) with (- (Z.succ n)) by lia.
        rewrite Z.even_opp, Z.even_succ. destruct (Z.odd n); simpl; lia.
      * unfold Zlog2. case Rle_bool_spec; intros; [lra|].
        unfold x. rewrite Ropp_involutive. unfold Zlog2_magnitude.
        assert (Zfloor (IZR n + IZR rest / IZR unit) = n) as -> by (apply Zfloor_imp; rewrite plus_IZR; lra).
        rewrite Req_bool_false by lra.
        rewrite <- Hx.
        replace (Rle_bool (IZR (n * (n + 1))) (IZR m / IZR unit * (IZR m / IZR unit)))
          with (n * (n + 1) * (unit * unit) <=? m * m); [case Z.leb_spec; lia|].
        replace (IZR m / IZR unit * (IZR m / IZR unit))%R with (IZR (m * m) / IZR (unit * unit))%R
          by (rewrite !mult_IZR; field; lra).
        assert (0 < IZR (unit * unit))%R by (apply IZR_lt; lia).
        case Rle_bool_spec; intros Hc.
        { apply Z.leb_le, le_IZR. rewrite (mult_IZR (n * (n + 1)) (unit * unit)).
          apply Rmult_le_compat_r with (r := IZR (unit * unit)) in Hc; [|lra].
          unfold Rdiv in Hc. rewrite Rmult_assoc, Rinv_l in Hc; lra. }
        { apply Z.leb_gt, lt_IZR. rewrite (mult_IZR (n * (n + 1)) (unit * unit)).
          apply Rmult_lt_compat_r with (r := IZR (unit * unit)) in Hc; [|lra].
          unfold Rdiv in Hc. rewrite Rmult_assoc, Rinv_l in Hc; lra. }
    + (* above zero *)
      set (x := (IZR n + IZR rest / IZR unit)%R) in *.
      assert (Hfl : Zfloor x = n) by (apply Zfloor_imp; unfold x; rewrite plus_IZR; lra).
      assert (Hce : Zceil x = n + 1).
      { apply Zceil_imp. replace (n + 1 - 1) with n by lia. unfold x. rewrite plus_IZR. lra. }
      assert (Hne : x <> IZR (Zfloor x)) by (rewrite Hfl; unfold x; lra).
      assert (Hxk : (x - IZR n = IZR rest / IZR unit)%R) by (unfold x; ring).
      assert (Hx0 : (0 < x)%R) by (unfold x; lra).
      assert (Hp : 0 < rest < unit) by lia.
      destruct r; simpl to_integer; unfold goes_up.
      * destruct (fraction_bits t =? 0);
          rewrite (Znearest_eval _ x _ _ _ Hfl Hxk Hp);
          (case Z.compare_spec; intros H;
            [replace (unit <? 2 * rest) with false by (symmetry; apply Z.ltb_ge; lia);
             replace (2 * rest =? unit) with true by (symmetry; apply Z.eqb_eq; lia)
            |replace (unit <? 2 * rest) with false by (symmetry; apply Z.ltb_ge; lia);
             replace (2 * rest =? unit) with false by (symmetry; apply Z.eqb_neq; lia)
            |replace (unit <? 2 * rest) with true by (symmetry; apply Z.ltb_lt; lia)]); simpl; auto.
        rewrite odd_negb_even. reflexivity.
      * rewrite (Znearest_eval _ x _ _ _ Hfl Hxk Hp).
        case Z.compare_spec; intros H; destruct (Z.leb_spec unit (2 * rest)); try lia.
        case Z.leb_spec; lia.
      * rewrite (Znearest_eval _ x _ _ _ Hfl Hxk Hp).
        case Z.compare_spec; intros H; destruct (Z.ltb_spec unit (2 * rest)); try lia.
        case Z.ltb_spec; lia.
      * rewrite Ztrunc_floor by lra. lia.
      * simpl. lia.
      * lia.
      * rewrite Zaway_ceil by lra. lia.
      * destruct (fraction_bits t =? 0).
        { destruct (Z.odd (field t v)); simpl.
          - rewrite Ztrunc_floor by lra. lia.
          - rewrite Zaway_ceil by lra. lia. }
        unfold Zrnd_odd. destruct Req_EM_T as [|_]; [contradiction|]. rewrite Hfl, Hce.
        rewrite odd_negb_even. destruct (Z.even n); simpl; lia.
      * unfold Zlog2. case Rle_bool_spec; intros; [|lra].
        unfold Zlog2_magnitude. rewrite Hfl.
        rewrite Req_bool_false by (rewrite <- Hfl; exact Hne).
        rewrite <- Hx.
        replace (Rle_bool (IZR (n * (n + 1))) (IZR m / IZR unit * (IZR m / IZR unit)))
          with (n * (n + 1) * (unit * unit) <=? m * m); [case Z.leb_spec; lia|].
        replace (IZR m / IZR unit * (IZR m / IZR unit))%R with (IZR (m * m) / IZR (unit * unit))%R
          by (rewrite !mult_IZR; field; lra).
        assert (0 < IZR (unit * unit))%R by (apply IZR_lt; lia).
        case Rle_bool_spec; intros Hc.
        { apply Z.leb_le, le_IZR. rewrite (mult_IZR (n * (n + 1)) (unit * unit)).
          apply Rmult_le_compat_r with (r := IZR (unit * unit)) in Hc; [|lra].
          unfold Rdiv in Hc. rewrite Rmult_assoc, Rinv_l in Hc; lra. }
        { apply Z.leb_gt, lt_IZR. rewrite (mult_IZR (n * (n + 1)) (unit * unit)).
          apply Rmult_lt_compat_r with (r := IZR (unit * unit)) in Hc; [|lra].
          unfold Rdiv in Hc. rewrite Rmult_assoc, Rinv_l in Hc; lra. }
Qed.
