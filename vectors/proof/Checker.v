(* SPDX-License-Identifier: Apache-2.0 *)
(* The checker of a golden table: whole numbers only, run by the kernel. Sound.v proves what its `true` means.
   The kernel evaluates both sides of &&; `if` is written where the second side may be long or need not end soon. *)
From Coq Require Import ZArith Bool List Lia Orders Mergesort.
From Flocq Require Import Core.
From Mxcert Require Import Formats Spec Rounding Magnitude Table.
Import ListNotations.
Open Scope Z_scope.

(* What an input comes to before the choices that do not bear on rounding decide. *)
Inductive outcome :=
  | ONan (negative : bool) (payload : Z)
  | OInf (negative : bool)
  | OZero (negative : bool)
  | OOverflow (negative : bool)
  | OCode (c : Z).

Definition outcome_eqb (x y : outcome) : bool :=
  match x, y with
  | ONan n p, ONan n' p' => eqb n n' && (p =? p')
  | OInf n, OInf n' | OZero n, OZero n' | OOverflow n, OOverflow n' => eqb n n'
  | OCode c, OCode c' => c =? c'
  | _, _ => false
  end.

(* The meaning of an input as Formats.v has it, by shifts and masks instead of divisions. *)
Section Fast.
Variable f : format.

Definition value_bits := exponent_bits f + fraction_bits f.
Definition code_bits := if is_signed f then value_bits + 1 else value_bits.

Definition fast_parts (a : Z) : Z * Z :=
  let hidden := Z.shiftl 1 (fraction_bits f) in
  match coding f with
  | TwosComplement => (a, quantum f)
  | SignMagnitude =>
      let E := Z.shiftr a (fraction_bits f) in
      let M := Z.land a (hidden - 1) in
      if has_subnormals f then if E =? 0 then (M, quantum f) else (hidden + M, quantum f + E - 1)
      else (hidden + M, quantum f + E)
  end.

Definition fast_decode (c : Z) : meaning :=
  let n := value_bits in
  let negative := is_signed f && negb (Z.shiftr c n =? 0) in
  let a :=
    match coding f with
    | SignMagnitude => Z.land c (Z.shiftl 1 n - 1)
    | TwosComplement => if negative then Z.shiftl 1 (n + 1) - c else c
    end in
  if nan_magnitude f a then MNan negative (Z.land a (Z.shiftl 1 (fraction_bits f) - 1) * 2 ^ (52 - fraction_bits f))
  else if inf_magnitude f a then MInf negative
  else let '(m, e) := fast_parts a in MNumber negative m e.
End Fast.

Definition fast_meaning (s : source) (x : Z) : meaning :=
  match s with
  | Plain f => fast_decode f x
  | Divided g f => let n := code_bits f in with_scale g (Z.shiftr x n) (fast_decode f (Z.land x (Z.shiftl 1 n - 1))) false
  | Multiplied g f => let n := code_bits f in with_scale g (Z.shiftr x n) (fast_decode f (Z.land x (Z.shiftl 1 n - 1))) true
  | Rectified f => rectified (fast_decode f x)
  end.

Section Conversion.
Variables (s : source) (t : format).

Definition largest_code (b : behaviour) (negative : bool) : Z :=
  if uses_lowest t b negative then magnitudes t else max_code t.

Definition round_outcome (b : behaviour) (negative : bool) (m e : Z) : outcome :=
  let a := round_magnitude t (rounding b) negative m e in
  if largest_code b negative <? a then OOverflow negative
  else if has_subnormals t && (a =? 0) then OZero negative
  else OCode (signed_code t negative a).

(* Where a magnitude is in a format without subnormals: below the smallest value, at it, below the second, beyond. *)
Definition region (m e : Z) : Z :=
  if has_subnormals t then 3
  else
    let digits := Zdigits2 m in
    let d := digits + e in
    if d <=? emin t then 0
    else if emin t + 1 <? d then 3
    else if m =? Z.shiftl 1 (digits - 1) then 1
    else 2.

Definition number_outcome (b : behaviour) (negative : bool) (m e : Z) : outcome :=
  let z := region m e in
  if z =? 3 then round_outcome b negative m e
  else
    match lowest_binade b with
    | UpNonzero => OCode 1
    | UpAboveSmallest => if z =? 2 then OCode 1 else OCode 0
    | ByValue => if z =? 0 then OCode 0 else round_outcome b negative m e
    | ZeroBelow => if z =? 0 then OZero negative else round_outcome b negative m e
    end.

Definition sign_outcome (b : behaviour) (is_negative : bool) (go_on : bool -> outcome) : outcome :=
  if is_signed t then go_on is_negative
  else if is_negative then
    match negative b with
    | NegativeMagnitude => go_on false
    | NegativeZero => OCode 0
    | NegativeNan => OCode (all_ones t)
    end
  else go_on false.

Definition read_payload (payload : Z) : Z :=
  match specials t with Ieee => payload / 2 ^ (52 - fraction_bits t) | _ => 0 end.

Definition meaning_outcome (b : behaviour) (x : meaning) : outcome :=
  match x with
  | MNan negative payload => ONan negative (read_payload payload)
  | MInf negative => sign_outcome b negative OInf
  | MNumber negative m e =>
      if m =? 0 then OZero (negative && is_signed t) else sign_outcome b negative (fun sign => number_outcome b sign m e)
  end.

(* The permit of an outcome. `embedded` says whether every value of the source is one of the target. *)
Variable embedded : bool.

Definition nan_permit (b : behaviour) (negative : bool) (payload : Z) : permit :=
  let signed_like a := PCode (signed_code t negative a) in
  match specials t, nan b with
  | _, NanMax => PCode (max_code t)
  | _, NanMaxSign => signed_like (max_code t)
  | _, NanZero => PCode 0
  | _, NanZeroInverted => PCode (if has_minus_zero t then signed_code t (negb negative) 0 else 0)
  | NoSpecials, _ => PCode (max_code t)
  | _, NanAny => PNan
  | _, NanCanonical => PCode (all_ones t)
  | _, NanSign => signed_like (all_ones t)
  | NanAllOnes, NanQuiet => PCode (all_ones t)
  | NanAllOnes, NanQuietSign | NanAllOnes, NanPayloadSign => signed_like (all_ones t)
  | Ieee, NanQuiet => PCode (quiet_code t)
  | Ieee, NanQuietSign => signed_like (quiet_code t)
  | Ieee, NanPayloadSign => signed_like (Z.lor (quiet_code t) payload)
  end.

Definition special_permit (b : behaviour) (negative : bool) : permit :=
  match specials t with
  | Ieee => PCode (signed_code t negative (inf_code t))
  | NoSpecials => PCode (farthest t b negative)
  | NanAllOnes =>
      match overflow_nan b with
      | OverflowNanSign => PCode (signed_code t negative (all_ones t))
      | OverflowNanCanonical => PCode (all_ones t)
      | OverflowNanAny => PNan
      end
  end.

Definition outcome_permit (b : behaviour) (o : outcome) : permit :=
  match o with
  | OCode c => PCode c
  | ONan negative payload => nan_permit b negative payload
  | OInf negative =>
      match overflow b with
      | Sat => if embedded then special_permit b negative else PCode (farthest t b negative)
      | Nosat => special_permit b negative
      end
  | OZero negative =>
      if has_subnormals t then
        PCode (signed_code t (negative && has_minus_zero t && match zero_sign b with ZeroKept => true | ZeroDropped => false end) 0)
      else match zero b with ZeroSmallest => PCode 0 | ZeroNan => PCode (all_ones t) | ZeroOne | ZeroLowered => PCode (bias t) end
  | OOverflow negative =>
      match overflow b with
      | Sat => PCode (farthest t b negative)
      | Nosat =>
          match points_to_zero b negative, directed_overflow b with
          | true, DirectedMax => PCode (farthest t b negative)
          | _, _ => special_permit b negative
          end
      end
  end.

Definition permit_eqb (x y : permit) : bool :=
  match x, y with PCode c, PCode c' => c =? c' | PNan, PNan => true | _, _ => false end.

(* Inputs between which values go one way: they have the same scale and the same sign. (After a rectifier, those of the negative
   sign stay at zero.) *)
Definition segment (x : Z) : Z :=
  match coding (value_format s) with SignMagnitude => Z.shiftr x (value_bits (value_format s)) | TwosComplement => x end.

(* Ranges in which equal ends mean an equal middle: NaNs, zeros, or numbers other than zero of one region. *)
Definition class (x : meaning) : Z :=
  match x with
  | MNan _ _ => 4
  | MInf _ => -1
  | MNumber _ m e => if m =? 0 then 5 else region m e
  end.

Section Rows.
Variable bs : list behaviour.   (* selections that read inputs alike *)
Variable b : behaviour.         (* how they do *)

Definition outcome_ok (r : row) (o : outcome) : bool :=
  match o with
  | OCode c => permit_eqb (permitted r) (PCode c)
  | _ => forallb (fun b' => negb (agrees b' r) || permit_eqb (permitted r) (outcome_permit b' o)) bs
  end.

Fixpoint range_ok (fuel : nat) (r : row) (x y : Z) : bool :=
  let mx := fast_meaning s x in
  let ox := meaning_outcome b mx in
  if x =? y then outcome_ok r ox
  else
    let my := fast_meaning s y in
    if (0 <=? class mx) && (class mx =? class my) && (segment x =? segment y) && outcome_eqb ox (meaning_outcome b my)
    then outcome_ok r ox
    else
      match fuel with
      | O => false
      | S fuel => let middle := Z.div2 (x + y + 1) in if range_ok fuel r x (middle - 1) then range_ok fuel r middle y else false
      end.

Fixpoint is_partition (rs : list row) (start stop : Z) : bool :=
  match rs with
  | [] => start =? stop
  | r :: rest => if (first r =? start) && (first r <=? last r) then is_partition rest (last r + 1) stop else false
  end.
End Rows.
End Conversion.

(* The choices that bear on rounding, the others at their defaults. *)
Definition reading (b : behaviour) : behaviour :=
  Behaviour (rounding b) Sat DirectedSpecial NanCanonical OverflowNanSign ZeroKept (negative b) ZeroSmallest (lowest_binade b) (lowest b)
    (rule b) (arithmetic b) (least_amax b) AfterRounding Signalling InfNone.

Definition behaviour_beq (x y : behaviour) : bool :=
  rounding_choice_beq (rounding x) (rounding y) && overflow_choice_beq (overflow x) (overflow y) &&
  directed_overflow_choice_beq (directed_overflow x) (directed_overflow y) && nan_choice_beq (nan x) (nan y) &&
  overflow_nan_choice_beq (overflow_nan x) (overflow_nan y) && zero_sign_choice_beq (zero_sign x) (zero_sign y) &&
  negative_choice_beq (negative x) (negative y) && zero_choice_beq (zero x) (zero y) &&
  lowest_binade_choice_beq (lowest_binade x) (lowest_binade y) && lowest_choice_beq (lowest x) (lowest y) &&
  rule_choice_beq (rule x) (rule y) && arithmetic_choice_beq (arithmetic x) (arithmetic y) &&
  least_amax_choice_beq (least_amax x) (least_amax y) && tininess_choice_beq (tininess x) (tininess y) &&
  invalid_nan_choice_beq (invalid_nan x) (invalid_nan y) && inf_flags_choice_beq (inf_flags x) (inf_flags y).

Fixpoint distinct (l : list behaviour) : list behaviour :=
  match l with
  | [] => []
  | x :: rest => let d := distinct rest in if existsb (behaviour_beq x) d then d else x :: d
  end.

(* Choices that decide how an input is read. *)
Definition reads (t : term) : bool :=
  match t with
  | TRounding _ | TNegative _ | TLowestBinade _ | TLowest _ | TRule _ | TArithmetic _ | TLeastAmax _ => true
  | _ => false
  end.
(* Whether a row can agree with a selection that reads inputs so. *)
Definition reading_agrees (b : behaviour) (t : term) : bool := if reads t then term_agrees b t else true.
Definition may_agree (b : behaviour) (r : row) : bool := forallb (reading_agrees b) (conditions r).


Section Embedding.
Variables (f t : format).

Definition same_number (neg : bool) (m e : Z) (neg' : bool) (m' e' : Z) : bool :=
  let k := Z.min e e' in
  cond_Zopp neg (Z.shiftl m (e - k)) =? cond_Zopp neg' (Z.shiftl m' (e' - k)).

Definition is_value_of (neg : bool) (m e : Z) (c : Z) : bool :=
  match decode t c with
  | MNumber neg' m' e' => same_number neg m e neg' m' e'
  | _ => false
  end.

Definition has_value (x : Z) : bool :=
  match decode f x with
  | MNumber neg m e =>
      let c := signed_code t neg (if m =? 0 then 0 else round_magnitude t TowardZero neg m e) in
      (0 <=? c) && (c <? codes t) && is_value_of neg m e c
  | _ => true
  end.

Definition lacks_value (x : Z) : bool :=
  match decode f x with
  | MNumber neg m e => forallb (fun c => negb (is_value_of neg m e (Z.of_nat c))) (seq 0 (Z.to_nat (codes t)))
  | _ => false
  end.

(* Whether every value of f is one of t, if that can be found out: all values are tried, or the largest against all of t. *)
Definition embedding : option bool :=
  let few g := codes g <=? 256 in
  if (if few f then forallb (fun x => has_value (Z.of_nat x)) (seq 0 (Z.to_nat (codes f))) else false) then Some true
  else if (if few t then lacks_value (max_code f) else false) then Some false
  else None.
End Embedding.

Definition fuel : nat := 80.

(* Neighbours that agree with every selection of a reading, as one row: it bears on the partition alone. *)
Definition is_certain (r : row) : bool :=
  forallb reads (conditions r).
Fixpoint joined (rs : list row) : list row :=
  match rs with
  | [] => []
  | r :: rest =>
      match joined rest with
      | [] => [r]
      | next :: more =>
          if is_certain r && is_certain next && (last r + 1 =? first next) && (first r <=? last r) && (first next <=? last next)
          then Row (conditions next) (first r) (last next) (permitted next) :: more
          else r :: next :: more
      end
  end.

(* Rows in the order of their inputs. *)
Module RowOrder <: TotalLeBool.
  Definition t := row.
  Definition leb (x y : row) := first x <=? first y.
  Theorem leb_total x y : leb x y = true \/ leb y x = true.
  Proof. unfold leb. rewrite !Z.leb_le. lia. Qed.
End RowOrder.
Module RowSort := Sort RowOrder.

(* Whether the rows are a partition for every selection, and each is right as `ok` finds for the selections of a reading. *)
Definition check_rows (ok : list behaviour -> behaviour -> row -> bool) (given : list row) (choices : list (list term)) (inputs : Z) : bool :=
  let all := selections defaults choices in
  let sorted := RowSort.sort given in
  forallb
    (fun b =>
       let bs := filter (fun b' => behaviour_beq (reading b') b) all in
       let rs := filter (may_agree b) sorted in
       let ranges := joined rs in
       forallb (fun b' => is_partition (filter (agrees b') ranges) 0 inputs) bs && forallb (ok bs b) rs)
    (distinct (map reading all)).

Definition check_with (embedded : bool) (g : table) : bool :=
  check_rows (fun bs b r => range_ok (from g) (to g) embedded bs b fuel r (first r) (last r)) (rows g) (choices g) (inputs (from g)).

Definition check (g : table) : bool :=
  let f := value_format (from g) in
  well_formed f && well_formed (to g) &&
  match specials f with
  | Ieee => match embedding f (to g) with Some embedded => check_with embedded g | None => false end
  | _ => check_with false g
  end.
