(* SPDX-License-Identifier: Apache-2.0 *)
(* Where a table that the checker refuses is wrong. For messages alone: nothing is proven of it. *)
From Coq Require Import ZArith Bool List.
From Mxcert Require Import Formats Spec Magnitude Table Checker.
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

Definition findings_with (embedded : bool) (g : table) : list finding :=
  let all := selections defaults (choices g) in
  let sorted := RowSort.sort (rows g) in
  flat_map
    (fun b =>
       let bs := filter (fun b' => behaviour_beq (reading b') b) all in
       let rs := filter (may_agree b) sorted in
       flat_map (fun r => if range_ok (from g) (to g) embedded bs b fuel r (first r) (last r) then []
                          else [WrongRow (conditions r) (first r) (last r) (permitted r)]) rs ++
       flat_map (fun b' => gap (filter (agrees b') rs) 0 (inputs (from g))) bs)
    (distinct (map reading all)).

Definition findings (g : table) : list finding :=
  let f := value_format (from g) in
  if well_formed f && well_formed (to g) then
    match specials f with
    | Ieee => match embedding f (to g) with Some embedded => findings_with embedded g | None => [UnknownEmbedding] end
    | _ => findings_with false g
    end
  else [NoFormat].
