(* SPDX-License-Identifier: Apache-2.0 *)
(* Where a table that the checker refuses is wrong. For messages alone: nothing is proven of it. *)
From Coq Require Import ZArith Bool List.
From Mxcert Require Import Formats Spec Magnitude Table Checker Scales ScaleChecker Flags FlagChecker.
Import ListNotations.
Open Scope Z_scope.

Inductive finding :=
  | NoFormat                       (* a format is not well formed *)
  | UnknownEmbedding               (* the checker cannot find out whether the target has every value of the source *)
  | WrongRow (conditions : list term) (first last : Z) (permitted : permit)   (* for a selection that agrees with it *)
  | NoPartition (next first last : Z).   (* of a selection: after the inputs before `next` comes this row, or the end *)

Fixpoint gap (rs : list row) (start stop : Z) : list finding :=
  match rs with
  | [] => if start =? stop then [] else [NoPartition start stop stop]
  | r :: rest =>
      if (first r =? start) && (first r <=? last r) then gap rest (last r + 1) stop else [NoPartition start (first r) (last r)]
  end.

Definition findings_of_rows (ok : list behaviour -> behaviour -> row -> bool) (given : list row) (choices : list (list term))
    (inputs : Z) : list finding :=
  let all := selections defaults choices in
  let sorted := RowSort.sort given in
  flat_map
    (fun b =>
       let bs := filter (fun b' => behaviour_beq (reading b') b) all in
       let rs := filter (may_agree b) sorted in
       flat_map (fun r => if ok bs b r then [] else [WrongRow (conditions r) (first r) (last r) (permitted r)]) rs ++
       flat_map (fun b' => gap (filter (agrees b') rs) 0 inputs) bs)
    (distinct (map reading all)).

Definition findings_with (embedded : bool) (g : table) : list finding :=
  findings_of_rows (fun bs b r => range_ok (from g) (to g) embedded (fast_meaning (from g)) bs b fuel r (first r) (last r)) (rows g) (choices g)
    (inputs (from g)).

Definition findings (g : table) : list finding :=
  let f := value_format (from g) in
  if well_formed f && well_formed (to g) then
    match specials f with
    | Ieee => match embedding f (to g) with Some embedded => findings_with embedded g | None => [UnknownEmbedding] end
    | _ => findings_with false g
    end
  else [NoFormat].

Definition scale_findings (g : scale_table) : list finding :=
  if well_formed_scale (element_of g) (amax_of g) then
    findings_of_rows (scale_ok (element_of g) (amax_of g)) (scale_rows g) (scale_choices g) (codes (amax_of g))
  else [NoFormat].

Definition flags_findings (g : flags_table) : list finding :=
  let f := flags_from g in
  let t := flags_to g in
  let found embedded :=
    findings_of_rows (fun bs b r => flags_ok f t embedded bs b fuel r (first r) (last r)) (flags_rows g) (flags_choices g) (codes f) in
  if well_formed_flags f t then
    match specials f with
    | Ieee => match embedding f t with Some embedded => found embedded | None => [UnknownEmbedding] end
    | _ => found false
    end
  else [NoFormat].
