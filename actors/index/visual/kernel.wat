;; Int8 rows against queries of 16 or 7 bits. Memory is imported, and shared by threads.
;; A row: `padded` int8 values (padded % 32 == 0), then 16 bytes of facts: its float32 scale, and what `weigh` writes:
;; 64 * the sum of its values as an int32, and its length, a float32.
;;
;; A query of 16 bits: `padded` int16 values, small enough that `padded` products with values of at most 127 fit into
;; 32 bits. One of 7 bits: values from -63 to 63, plus 64, padded to 64 with zeros, then float32: its scale, what the rows
;; may be off, and how long the vector is that its rounding lost. Without a sign, the relaxed product of int8 and 7 bits is
;; the same on every processor, and sixteen of them need three instructions where 16 bits need six. It rules most rows out;
;; the few others are scored by 16 bits. V8 of Node 22 makes five instructions of the relaxed product that also adds.
;;
;; `scan` takes one row after the other: several rows at once share the loads of the query, but read memory at several
;; places, and that was measured three times slower where the rows do not fit into the cache. Values are widened as they
;; are loaded and multiplied and added in pairs by one instruction; four sums keep additions from waiting for each other.
(module
  (import "memory" "rows" (memory 1 65536 shared))

  ;; out[i] = (dot(row i, query) * query_scale + error) * scale of row i
  (func (export "scan")
    (param $rows i32) (param $count i32) (param $stride i32) (param $padded i32)
    (param $query i32) (param $out i32) (param $query_scale f32) (param $error f32)
    (local $p i32) (local $q i32) (local $end i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $p (local.get $rows))
        (local.set $q (local.get $query))
        (local.set $end (i32.add (local.get $rows) (local.get $padded)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (loop $values
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s
            (v128.load8x8_s (local.get $p)) (v128.load (local.get $q)))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=8 (local.get $p)) (v128.load offset=16 (local.get $q)))))
          (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=16 (local.get $p)) (v128.load offset=32 (local.get $q)))))
          (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=24 (local.get $p)) (v128.load offset=48 (local.get $q)))))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (br_if $values (i32.lt_u
            (local.tee $p (i32.add (local.get $p) (i32.const 32))) (local.get $end))))
        (local.set $a (i32x4.add
          (i32x4.add (local.get $a) (local.get $b)) (i32x4.add (local.get $c) (local.get $d))))
        (f32.store (local.get $out) (f32.mul (f32.load (local.get $p)) (f32.add (local.get $error) (f32.mul
          (local.get $query_scale)
          (f32.convert_i32_s (call $lanes (local.get $a)))))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (br $row))))

  ;; Writes the facts of rows behind their scale.
  (func (export "weigh") (param $rows i32) (param $count i32) (param $stride i32) (param $padded i32)
    (local $p i32) (local $end i32) (local $v v128) (local $sum v128) (local $squares v128)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $p (local.get $rows))
        (local.set $end (i32.add (local.get $rows) (local.get $padded)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $squares (v128.const i32x4 0 0 0 0))
        (loop $values
          (local.set $v (v128.load8x8_s (local.get $p)))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (local.get $v) (v128.const i16x8 64 64 64 64 64 64 64 64))))
          (local.set $squares (i32x4.add (local.get $squares) (i32x4.dot_i16x8_s (local.get $v) (local.get $v))))
          (br_if $values (i32.lt_u
            (local.tee $p (i32.add (local.get $p) (i32.const 8))) (local.get $end))))
        (i32.store offset=4 (local.get $p) (call $lanes (local.get $sum)))
        (f32.store offset=8 (local.get $p) (f32.mul (f32.load (local.get $p))
          (f32.sqrt (f32.convert_i32_s (call $lanes (local.get $squares))))))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (br $row))))

  ;; out[i] = what no exact score of row i by a query of 7 bits is above. Reads up to 32 bytes behind the values of a row,
  ;; where those of the query are zero.
  (func (export "coarse")
    (param $rows i32) (param $count i32) (param $stride i32) (param $padded i32) (param $query i32) (param $out i32)
    (local $p i32) (local $q i32) (local $end i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $ones v128)
    (local.set $ones (v128.const i16x8 1 1 1 1 1 1 1 1))
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $p (local.get $rows))
        (local.set $q (local.get $query))
        (local.set $end (i32.add (local.get $rows) (local.get $padded)))
        (local.set $a (v128.const i32x4 0 0 0 0))
        (local.set $b (v128.const i32x4 0 0 0 0))
        (local.set $c (v128.const i32x4 0 0 0 0))
        (local.set $d (v128.const i32x4 0 0 0 0))
        (loop $values
          (local.set $a (i32x4.add (local.get $a) (i32x4.dot_i16x8_s (local.get $ones)
            (i16x8.relaxed_dot_i8x16_i7x16_s (v128.load (local.get $p)) (v128.load (local.get $q))))))
          (local.set $b (i32x4.add (local.get $b) (i32x4.dot_i16x8_s (local.get $ones)
            (i16x8.relaxed_dot_i8x16_i7x16_s (v128.load offset=16 (local.get $p)) (v128.load offset=16 (local.get $q))))))
          (local.set $c (i32x4.add (local.get $c) (i32x4.dot_i16x8_s (local.get $ones)
            (i16x8.relaxed_dot_i8x16_i7x16_s (v128.load offset=32 (local.get $p)) (v128.load offset=32 (local.get $q))))))
          (local.set $d (i32x4.add (local.get $d) (i32x4.dot_i16x8_s (local.get $ones)
            (i16x8.relaxed_dot_i8x16_i7x16_s (v128.load offset=48 (local.get $p)) (v128.load offset=48 (local.get $q))))))
          (local.set $q (i32.add (local.get $q) (i32.const 64)))
          (br_if $values (i32.lt_u
            (local.tee $p (i32.add (local.get $p) (i32.const 64))) (local.get $end))))
        (local.set $a (i32x4.add
          (i32x4.add (local.get $a) (local.get $b)) (i32x4.add (local.get $c) (local.get $d))))
        (f32.store (local.get $out) (call $most (local.get $a) (local.get $end) (local.get $q)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (br $row))))

  ;; The same for four queries. The scores of a query lie `apart` bytes behind those of the one before; after an odd number
  ;; of rows one more is written. Two rows share the loads of the queries.
  (func (export "coarseFour")
    (param $rows i32) (param $count i32) (param $stride i32) (param $padded i32)
    (param $q0 i32) (param $q1 i32) (param $q2 i32) (param $q3 i32) (param $out i32) (param $apart i32)
    (local $p i32) (local $r i32) (local $at i32) (local $to i32)
    (local $x v128) (local $y v128) (local $v v128) (local $ones v128)
    (local $x0 v128) (local $x1 v128) (local $x2 v128) (local $x3 v128)
    (local $y0 v128) (local $y1 v128) (local $y2 v128) (local $y3 v128)
    (local.set $ones (v128.const i16x8 1 1 1 1 1 1 1 1))
    (block $done
      (loop $pair
        (br_if $done (i32.le_s (local.get $count) (i32.const 0)))
        (local.set $p (local.get $rows))
        ;; The last one of an odd number is taken twice.
        (local.set $r (select (local.get $rows) (i32.add (local.get $rows) (local.get $stride))
          (i32.eq (local.get $count) (i32.const 1))))
        (local.set $at (i32.const 0))
        (local.set $x0 (v128.const i32x4 0 0 0 0))
        (local.set $x1 (v128.const i32x4 0 0 0 0))
        (local.set $x2 (v128.const i32x4 0 0 0 0))
        (local.set $x3 (v128.const i32x4 0 0 0 0))
        (local.set $y0 (v128.const i32x4 0 0 0 0))
        (local.set $y1 (v128.const i32x4 0 0 0 0))
        (local.set $y2 (v128.const i32x4 0 0 0 0))
        (local.set $y3 (v128.const i32x4 0 0 0 0))
        (loop $values
          (local.set $x (v128.load (i32.add (local.get $p) (local.get $at))))
          (local.set $y (v128.load (i32.add (local.get $r) (local.get $at))))
          (local.set $v (v128.load (i32.add (local.get $q0) (local.get $at))))
          (local.set $x0 (i32x4.add (local.get $x0)
            (i32x4.dot_i16x8_s (local.get $ones) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $x) (local.get $v)))))
          (local.set $y0 (i32x4.add (local.get $y0)
            (i32x4.dot_i16x8_s (local.get $ones) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y) (local.get $v)))))
          (local.set $v (v128.load (i32.add (local.get $q1) (local.get $at))))
          (local.set $x1 (i32x4.add (local.get $x1)
            (i32x4.dot_i16x8_s (local.get $ones) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $x) (local.get $v)))))
          (local.set $y1 (i32x4.add (local.get $y1)
            (i32x4.dot_i16x8_s (local.get $ones) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y) (local.get $v)))))
          (local.set $v (v128.load (i32.add (local.get $q2) (local.get $at))))
          (local.set $x2 (i32x4.add (local.get $x2)
            (i32x4.dot_i16x8_s (local.get $ones) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $x) (local.get $v)))))
          (local.set $y2 (i32x4.add (local.get $y2)
            (i32x4.dot_i16x8_s (local.get $ones) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y) (local.get $v)))))
          (local.set $v (v128.load (i32.add (local.get $q3) (local.get $at))))
          (local.set $x3 (i32x4.add (local.get $x3)
            (i32x4.dot_i16x8_s (local.get $ones) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $x) (local.get $v)))))
          (local.set $y3 (i32x4.add (local.get $y3)
            (i32x4.dot_i16x8_s (local.get $ones) (i16x8.relaxed_dot_i8x16_i7x16_s (local.get $y) (local.get $v)))))
          (br_if $values (i32.lt_u
            (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $padded))))
        (local.set $p (i32.add (local.get $p) (local.get $padded)))
        (local.set $r (i32.add (local.get $r) (local.get $padded)))
        ;; Behind the zeros of the query.
        (local.set $at (i32.and (i32.add (local.get $padded) (i32.const 63)) (i32.const -64)))
        (local.set $to (local.get $out))
        (f32.store (local.get $to)
          (call $most (local.get $x0) (local.get $p) (i32.add (local.get $q0) (local.get $at))))
        (f32.store offset=4 (local.get $to)
          (call $most (local.get $y0) (local.get $r) (i32.add (local.get $q0) (local.get $at))))
        (local.set $to (i32.add (local.get $to) (local.get $apart)))
        (f32.store (local.get $to)
          (call $most (local.get $x1) (local.get $p) (i32.add (local.get $q1) (local.get $at))))
        (f32.store offset=4 (local.get $to)
          (call $most (local.get $y1) (local.get $r) (i32.add (local.get $q1) (local.get $at))))
        (local.set $to (i32.add (local.get $to) (local.get $apart)))
        (f32.store (local.get $to)
          (call $most (local.get $x2) (local.get $p) (i32.add (local.get $q2) (local.get $at))))
        (f32.store offset=4 (local.get $to)
          (call $most (local.get $y2) (local.get $r) (i32.add (local.get $q2) (local.get $at))))
        (local.set $to (i32.add (local.get $to) (local.get $apart)))
        (f32.store (local.get $to)
          (call $most (local.get $x3) (local.get $p) (i32.add (local.get $q3) (local.get $at))))
        (f32.store offset=4 (local.get $to)
          (call $most (local.get $y3) (local.get $r) (i32.add (local.get $q3) (local.get $at))))
        (local.set $out (i32.add (local.get $out) (i32.const 8)))
        (local.set $count (i32.sub (local.get $count) (i32.const 2)))
        (local.set $rows (i32.add (local.get $rows) (i32.shl (local.get $stride) (i32.const 1))))
        (br $pair))))

  ;; ((sum of the lanes - 64 * sum of the row) * scale of the query + its error) * scale of the row + the length of what the
  ;; query lost * that of the row. `row`, `query`: their facts.
  (func $most (param $sums v128) (param $row i32) (param $query i32) (result f32)
    (f32.add
      (f32.mul (f32.load (local.get $row)) (f32.add
        (f32.load offset=4 (local.get $query))
        (f32.mul (f32.load (local.get $query)) (f32.convert_i32_s
          (i32.sub (call $lanes (local.get $sums)) (i32.load offset=4 (local.get $row)))))))
      (f32.mul (f32.load offset=8 (local.get $row)) (f32.load offset=8 (local.get $query)))))

  (func $lanes (param $sums v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
      (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))

  ;; Each float32 from `to` on becomes the larger of itself and the one from `from` on; up to three more as well.
  (func (export "larger") (param $to i32) (param $from i32) (param $count i32)
    (local $end i32)
    (local.set $end (i32.add (local.get $to) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (v128.store (local.get $to) (f32x4.max (v128.load (local.get $to)) (v128.load (local.get $from))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $next (i32.lt_u
        (local.tee $to (i32.add (local.get $to) (i32.const 16))) (local.get $end)))))

  ;; Writes the indices of the scores above `least` to `out`, ascending, and answers how many there are. Four scores are
  ;; compared at once, because nearly all of them lose: the loop in JavaScript costs as much as a third of the scan.
  (func (export "above")
    (param $scores i32) (param $count i32) (param $least f32) (param $out i32) (result i32)
    (local $i i32) (local $first i32) (local $bar v128)
    (local.set $first (local.get $out))
    (local.set $bar (f32x4.splat (local.get $least)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
        (if (i32.and
              (i32.eqz (i32.and (local.get $i) (i32.const 3)))
              (i32.eqz (v128.any_true (f32x4.gt (v128.load (local.get $scores)) (local.get $bar)))))
          (then
            (local.set $i (i32.add (local.get $i) (i32.const 4)))
            (local.set $scores (i32.add (local.get $scores) (i32.const 16))))
          (else
            (if (f32.gt (f32.load (local.get $scores)) (local.get $least))
              (then
                (i32.store (local.get $out) (local.get $i))
                (local.set $out (i32.add (local.get $out) (i32.const 4)))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (local.set $scores (i32.add (local.get $scores) (i32.const 4)))))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $out) (local.get $first)) (i32.const 2))))
