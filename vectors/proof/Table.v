(* SPDX-License-Identifier: Apache-2.0 *)
(* A golden table, and what it means that it is right. Part of the statement: read this file to know what is proven. *)
From Coq Require Import ZArith Bool List.
From Mxcert Require Import Formats Spec.
Import ListNotations.
Open Scope Z_scope.

(* A term of the column `when`. *)
Inductive term :=
  | TRounding (v : rounding_choice)
  | TOverflow (v : overflow_choice)
  | TDirectedOverflow (v : directed_overflow_choice)
  | TNan (v : nan_choice)
  | TOverflowNan (v : overflow_nan_choice)
  | TZeroSign (v : zero_sign_choice)
  | TNegative (v : negative_choice)
  | TZero (v : zero_choice)
  | TLowestBinade (v : lowest_binade_choice)
  | TLowest (v : lowest_choice)
  | TRule (v : rule_choice)
  | TArithmetic (v : arithmetic_choice)
  | TLeastAmax (v : least_amax_choice)
  | TTininess (v : tininess_choice)
  | TInvalidNan (v : invalid_nan_choice)
  | TInfFlags (v : inf_flags_choice).

Scheme Equality for rounding_choice.
Scheme Equality for overflow_choice.
Scheme Equality for directed_overflow_choice.
Scheme Equality for nan_choice.
Scheme Equality for overflow_nan_choice.
Scheme Equality for zero_sign_choice.
Scheme Equality for negative_choice.
Scheme Equality for zero_choice.
Scheme Equality for lowest_binade_choice.
Scheme Equality for lowest_choice.
Scheme Equality for rule_choice.
Scheme Equality for arithmetic_choice.
Scheme Equality for least_amax_choice.
Scheme Equality for tininess_choice.
Scheme Equality for invalid_nan_choice.
Scheme Equality for inf_flags_choice.

Definition term_agrees (b : behaviour) (t : term) : bool :=
  match t with
  | TRounding v => rounding_choice_beq (rounding b) v
  | TOverflow v => overflow_choice_beq (overflow b) v
  | TDirectedOverflow v => directed_overflow_choice_beq (directed_overflow b) v
  | TNan v => nan_choice_beq (nan b) v
  | TOverflowNan v => overflow_nan_choice_beq (overflow_nan b) v
  | TZeroSign v => zero_sign_choice_beq (zero_sign b) v
  | TNegative v => negative_choice_beq (negative b) v
  | TZero v => zero_choice_beq (zero b) v
  | TLowestBinade v => lowest_binade_choice_beq (lowest_binade b) v
  | TLowest v => lowest_choice_beq (lowest b) v
  | TRule v => rule_choice_beq (rule b) v
  | TArithmetic v => arithmetic_choice_beq (arithmetic b) v
  | TLeastAmax v => least_amax_choice_beq (least_amax b) v
  | TTininess v => tininess_choice_beq (tininess b) v
  | TInvalidNan v => invalid_nan_choice_beq (invalid_nan b) v
  | TInfFlags v => inf_flags_choice_beq (inf_flags b) v
  end.

Definition choose (t : term) (b : behaviour) : behaviour :=
  let '(Behaviour ro ov di na on zs ne ze lb lo ru ar la ti inv inf) := b in
  match t with
  | TRounding v => Behaviour v ov di na on zs ne ze lb lo ru ar la ti inv inf
  | TOverflow v => Behaviour ro v di na on zs ne ze lb lo ru ar la ti inv inf
  | TDirectedOverflow v => Behaviour ro ov v na on zs ne ze lb lo ru ar la ti inv inf
  | TNan v => Behaviour ro ov di v on zs ne ze lb lo ru ar la ti inv inf
  | TOverflowNan v => Behaviour ro ov di na v zs ne ze lb lo ru ar la ti inv inf
  | TZeroSign v => Behaviour ro ov di na on v ne ze lb lo ru ar la ti inv inf
  | TNegative v => Behaviour ro ov di na on zs v ze lb lo ru ar la ti inv inf
  | TZero v => Behaviour ro ov di na on zs ne v lb lo ru ar la ti inv inf
  | TLowestBinade v => Behaviour ro ov di na on zs ne ze v lo ru ar la ti inv inf
  | TLowest v => Behaviour ro ov di na on zs ne ze lb v ru ar la ti inv inf
  | TRule v => Behaviour ro ov di na on zs ne ze lb lo v ar la ti inv inf
  | TArithmetic v => Behaviour ro ov di na on zs ne ze lb lo ru v la ti inv inf
  | TLeastAmax v => Behaviour ro ov di na on zs ne ze lb lo ru ar v ti inv inf
  | TTininess v => Behaviour ro ov di na on zs ne ze lb lo ru ar la v inv inf
  | TInvalidNan v => Behaviour ro ov di na on zs ne ze lb lo ru ar la ti v inf
  | TInfFlags v => Behaviour ro ov di na on zs ne ze lb lo ru ar la ti inv v
  end.

Definition defaults : behaviour :=
  Behaviour NearestEven Sat DirectedSpecial NanCanonical OverflowNanSign ZeroKept NegativeMagnitude ZeroSmallest ByValue LowestUnused NoRule Exact NoLeastAmax
    AfterRounding Signalling InfNone.

(* All selections: a value for each choice that the file names, from the values that the manifest lists. *)
Fixpoint selections (b : behaviour) (choices : list (list term)) : list behaviour :=
  match choices with
  | [] => [b]
  | values :: rest => flat_map (fun v => selections (choose v b) rest) values
  end.

(* The column `permit`: one code, or every NaN code of the target. *)
Inductive permit := PCode (c : Z) | PNan.
Definition permits (t : format) (p : permit) (c : Z) : Prop :=
  match p with
  | PCode code => c = code
  | PNan => is_nan t c = true
  end.

(* A row of the file. With a given scale it stands for `times` rows: what is added from each to the next is said for each column. *)
Record entry := Entry {
  condition : list term;
  first_of : Z;
  last_of : Z;
  permit_of : permit;
  times : Z;
  first_by : Z;
  last_by : Z;
  permit_by : Z
}.

Definition one (condition : list term) (first last : Z) (p : permit) : entry := Entry condition first last p 1 0 0 0.

(* One of the rows that it stands for. *)
Record row := Row { conditions : list term; first : Z; last : Z; permitted : permit }.

Definition shifted (p : permit) (by_ : Z) : permit :=
  match p with PCode c => PCode (c + by_) | PNan => PNan end.
Definition repeated (e : entry) : list row :=
  map (fun n => let k := Z.of_nat n in
         Row (condition e) (first_of e + k * first_by e) (last_of e + k * last_by e) (shifted (permit_of e) (k * permit_by e)))
      (seq 0 (Z.to_nat (times e))).

Definition agrees (b : behaviour) (r : row) : bool := forallb (term_agrees b) (conditions r).
Definition covers (r : row) (x : Z) : Prop := first r <= x <= last r.

Record table := Table {
  from : source;
  to : format;
  choices : list (list term);
  entries : list entry
}.
Definition rows (g : table) : list row := flat_map repeated (entries g).

(* For every selection and every input, exactly one selected row has the input, and its codes are those that are right. *)
Definition rows_are_right (given : list row) (choices : list (list term)) (inputs : Z) (t : format)
    (right_code : behaviour -> Z -> Z -> Prop) : Prop :=
  forall b, In b (selections defaults choices) ->
  forall x, 0 <= x < inputs ->
  exists before r after,
    filter (agrees b) given = before ++ r :: after /\
    covers r x /\
    (forall other, In other before \/ In other after -> ~ covers other x) /\
    (forall c, is_code t c -> (permits t (permitted r) c <-> right_code b x c)).

Definition table_is_right (g : table) : Prop :=
  rows_are_right (rows g) (choices g) (inputs (from g)) (to g) (right (from g) (to g)).
