// SPDX-License-Identifier: Apache-2.0
//! golden FILE BITS CHOICE=VALUE...: the rows of a golden file that these choices select, each input in exactly one.
use std::{env, fs};

fn number(text: &str) -> i128 {
    i128::from_str_radix(text, 16).expect("a hexadecimal number")
}

fn select(text: &str, bits: u32, choices: &[String]) -> Vec<(i128, i128, String)> {
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if !cells[0].split_whitespace().all(|term| choices.iter().any(|choice| choice == term)) {
            continue;
        }
        let by = |column: usize| cells.get(column).map_or(0, |cell| number(cell));
        for k in 0..cells.get(5).map_or(1, |times| times.parse().expect("a count")) {
            let permit = match k * by(8) {
                0 => cells[3].to_string(),
                more => format!("{:0width$X}", number(cells[3]) + more, width = cells[3].len()),
            };
            rows.push((number(cells[1]) + k * by(6), number(cells[2]) + k * by(7), permit));
        }
    }
    rows.sort();
    let ends: Vec<i128> = std::iter::once(0).chain(rows.iter().map(|row| row.1 + 1)).collect();
    let starts: Vec<i128> = rows.iter().map(|row| row.0).chain(std::iter::once(1i128 << bits)).collect();
    assert_eq!(starts, ends, "no partition");
    rows
}

fn main() {
    let arguments: Vec<String> = env::args().collect();
    let text = fs::read_to_string(&arguments[1]).expect("a golden file");
    for (first, last, permit) in select(&text, arguments[2].parse().expect("bits"), &arguments[3..]) {
        println!("{:X},{:X},{}", first, last, permit);
    }
}
