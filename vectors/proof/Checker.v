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

(* The meaning of an input as Formats.v has it, by shifts and masks instead of divisions. What a format alone decides is computed once,
   where such a function gets a name. *)
Section Fast.
Variable f : format.

Definition value_bits := exponent_bits f + fraction_bits f.
Definition code_bits := if is_signed f then value_bits + 1 else value_bits.

Definition fast_parts : Z -> Z * Z :=
  let lowest := quantum f in
  match coding f with
  | TwosComplement => fun a => (a, lowest)
  | SignMagnitude =>
      let n := fraction_bits f in
      let hidden := Z.shiftl 1 n in
      let mask := hidden - 1 in
      if has_subnormals f then fun a =>
        let E := Z.shiftr a n in
        let M := Z.land a mask in
        if E =? 0 then (M, lowest) else (hidden + M, lowest + E - 1)
      else fun a => (hidden + Z.land a mask, lowest + Z.shiftr a n)
  end.

Definition fast_negative : Z -> bool :=
  if is_signed f then let n := value_bits in fun c => negb (Z.shiftr c n =? 0) else fun _ => false.

Definition fast_magnitude : Z -> Z :=
  match coding f with
  | SignMagnitude => let mask := Z.shiftl 1 value_bits - 1 in fun c => Z.land c mask
  | TwosComplement => let twice := Z.shiftl 1 (value_bits + 1) in fun c => if fast_negative c then twice - c else c
  end.

Definition fast_nan_magnitude : Z -> bool :=
  match specials f with
  | NoSpecials => fun _ => false
  | Ieee => let inf := inf_code f in fun a => inf <? a
  | NanAllOnes => let ones := all_ones f in fun a => a =? ones
  end.

Definition fast_inf_magnitude : Z -> bool :=
  match specials f with
  | Ieee => let inf := inf_code f in fun a => a =? inf
  | _ => fun _ => false
  end.

Definition fast_is_nan : Z -> bool :=
  match coding f with
  | SignMagnitude => let number := magnitudes f in let is_nan_magnitude := fast_nan_magnitude in fun c => is_nan_magnitude (c mod number)
  | TwosComplement => is_nan f
  end.

Definition fast_decode : Z -> meaning :=
  let negative_of := fast_negative in
  let magnitude_of := fast_magnitude in
  let is_nan_magnitude := fast_nan_magnitude in
  let is_inf_magnitude := fast_inf_magnitude in
  let parts_of := fast_parts in
  let mask := Z.shiftl 1 (fraction_bits f) - 1 in
  let payload_unit := 2 ^ (52 - fraction_bits f) in
  fun c =>
    let negative := negative_of c in
    let a := magnitude_of c in
    if is_nan_magnitude a then MNan negative (Z.land a mask * payload_unit)
    else if is_inf_magnitude a then MInf negative
    else let '(m, e) := parts_of a in MNumber negative m e.
End Fast.

Definition fast_with_scale (g f : format) (up : bool) : Z -> meaning :=
  let n := code_bits f in
  let mask := Z.shiftl 1 n - 1 in
  let read := fast_decode f in
  let is_nan_scale := fast_is_nan g in
  let one := bias g in
  fun x =>
    let scale := Z.shiftr x n in
    let m := read (Z.land x mask) in
    if is_nan_scale scale then
      match m with MNan negative _ | MInf negative | MNumber negative _ _ => MNan negative 0 end
    else
      match m with
      | MNumber negative m e => MNumber negative m (if up then e + (scale - one) else e - (scale - one))
      | special => special
      end.

Definition fast_meaning (s : source) : Z -> meaning :=
  match s with
  | Plain f => fast_decode f
  | Divided g f => fast_with_scale g f false
  | Multiplied g f => fast_with_scale g f true
  | Rectified f => let read := fast_decode f in fun x => rectified (read x)
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
Variable read : Z -> meaning.   (* fast_meaning s *)
Variable bs : list behaviour.   (* selections that read inputs alike *)
Variable b : behaviour.         (* how they do *)

Definition outcome_ok (r : row) (o : outcome) : bool :=
  match o with
  | OCode c => permit_eqb (permitted r) (PCode c)
  | _ => forallb (fun b' => negb (agrees b' r) || permit_eqb (permitted r) (outcome_permit b' o)) bs
  end.

Fixpoint range_ok (fuel : nat) (r : row) (x y : Z) : bool :=
  let mx := read x in
  let ox := meaning_outcome b mx in
  if x =? y then outcome_ok r ox
  else
    let my := read y in
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
  let read := fast_meaning (from g) in
  check_rows (fun bs b r => range_ok (from g) (to g) embedded read bs b fuel r (first r) (last r)) (rows g) (choices g) (inputs (from g)).

Definition check (g : table) : bool :=
  let f := value_format (from g) in
  well_formed f && well_formed (to g) &&
  match specials f with
  | Ieee => match embedding f (to g) with Some embedded => check_with embedded g | None => false end
  | _ => check_with false g
  end.
