;; Int8 dot products of one query with a block of rows, four rows a round. Memory is imported.
;; A row: `padded` int8 values (padded % 16 == 0), then a float32 scale. |value| <= 127 in rows and query, so the sum of
;; two products, at most 32258, still fits into 16 bits: two extended products are added there before they are widened.
(module
  (import "memory" "rows" (memory 1 65536))

  (func $sum (param $v v128) (result i32)
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $v)) (i32x4.extract_lane 1 (local.get $v)))
      (i32.add (i32x4.extract_lane 2 (local.get $v)) (i32x4.extract_lane 3 (local.get $v)))))

  ;; out[i] = dot(row i, query) * scale of row i * query_scale
  (func (export "scan")
    (param $rows i32) (param $count i32) (param $stride i32) (param $padded i32)
    (param $query i32) (param $out i32) (param $query_scale f32)
    (local $k i32) (local $last i32) (local $q v128)
    (local $p0 i32) (local $p1 i32) (local $p2 i32) (local $p3 i32) (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128) (local $r v128)
    (local.set $p0 (local.get $rows))
    (block $rest
      (loop $round
        (br_if $rest (i32.lt_u (local.get $count) (i32.const 4)))
        (local.set $p1 (i32.add (local.get $p0) (local.get $stride)))
        (local.set $p2 (i32.add (local.get $p1) (local.get $stride)))
        (local.set $p3 (i32.add (local.get $p2) (local.get $stride)))
        (local.set $s0 (v128.const i32x4 0 0 0 0))
        (local.set $s1 (v128.const i32x4 0 0 0 0))
        (local.set $s2 (v128.const i32x4 0 0 0 0))
        (local.set $s3 (v128.const i32x4 0 0 0 0))
        (local.set $k (local.get $query))
        (local.set $last (i32.add (local.get $query) (local.get $padded)))
        (loop $values
          (local.set $q (v128.load (local.get $k)))
          (local.set $r (v128.load (local.get $p0)))
          (local.set $s0 (i32x4.add (local.get $s0) (i32x4.extadd_pairwise_i16x8_s (i16x8.add
            (i16x8.extmul_low_i8x16_s (local.get $r) (local.get $q))
            (i16x8.extmul_high_i8x16_s (local.get $r) (local.get $q))))))
          (local.set $p0 (i32.add (local.get $p0) (i32.const 16)))
          (local.set $r (v128.load (local.get $p1)))
          (local.set $s1 (i32x4.add (local.get $s1) (i32x4.extadd_pairwise_i16x8_s (i16x8.add
            (i16x8.extmul_low_i8x16_s (local.get $r) (local.get $q))
            (i16x8.extmul_high_i8x16_s (local.get $r) (local.get $q))))))
          (local.set $p1 (i32.add (local.get $p1) (i32.const 16)))
          (local.set $r (v128.load (local.get $p2)))
          (local.set $s2 (i32x4.add (local.get $s2) (i32x4.extadd_pairwise_i16x8_s (i16x8.add
            (i16x8.extmul_low_i8x16_s (local.get $r) (local.get $q))
            (i16x8.extmul_high_i8x16_s (local.get $r) (local.get $q))))))
          (local.set $p2 (i32.add (local.get $p2) (i32.const 16)))
          (local.set $r (v128.load (local.get $p3)))
          (local.set $s3 (i32x4.add (local.get $s3) (i32x4.extadd_pairwise_i16x8_s (i16x8.add
            (i16x8.extmul_low_i8x16_s (local.get $r) (local.get $q))
            (i16x8.extmul_high_i8x16_s (local.get $r) (local.get $q))))))
          (local.set $p3 (i32.add (local.get $p3) (i32.const 16)))
          (br_if $values (i32.lt_u
            (local.tee $k (i32.add (local.get $k) (i32.const 16))) (local.get $last))))
        (f32.store offset=0 (local.get $out) (f32.mul (local.get $query_scale)
          (f32.mul (f32.load (local.get $p0)) (f32.convert_i32_s (call $sum (local.get $s0))))))
        (f32.store offset=4 (local.get $out) (f32.mul (local.get $query_scale)
          (f32.mul (f32.load (local.get $p1)) (f32.convert_i32_s (call $sum (local.get $s1))))))
        (f32.store offset=8 (local.get $out) (f32.mul (local.get $query_scale)
          (f32.mul (f32.load (local.get $p2)) (f32.convert_i32_s (call $sum (local.get $s2))))))
        (f32.store offset=12 (local.get $out) (f32.mul (local.get $query_scale)
          (f32.mul (f32.load (local.get $p3)) (f32.convert_i32_s (call $sum (local.get $s3))))))
        (local.set $out (i32.add (local.get $out) (i32.const 16)))
        (local.set $count (i32.sub (local.get $count) (i32.const 4)))
        (local.set $rows (i32.add (local.get $rows) (i32.shl (local.get $stride) (i32.const 2))))
        (local.set $p0 (local.get $rows))
        (br $round)))
    (block $done
      (loop $single
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $p0 (local.get $rows))
        (local.set $s0 (v128.const i32x4 0 0 0 0))
        (local.set $k (local.get $query))
        (local.set $last (i32.add (local.get $query) (local.get $padded)))
        (loop $values
          (local.set $q (v128.load (local.get $k)))
          (local.set $r (v128.load (local.get $p0)))
          (local.set $s0 (i32x4.add (local.get $s0) (i32x4.extadd_pairwise_i16x8_s (i16x8.add
            (i16x8.extmul_low_i8x16_s (local.get $r) (local.get $q))
            (i16x8.extmul_high_i8x16_s (local.get $r) (local.get $q))))))
          (local.set $p0 (i32.add (local.get $p0) (i32.const 16)))
          (br_if $values (i32.lt_u
            (local.tee $k (i32.add (local.get $k) (i32.const 16))) (local.get $last))))
        (f32.store (local.get $out) (f32.mul (local.get $query_scale)
          (f32.mul (f32.load (local.get $p0)) (f32.convert_i32_s (call $sum (local.get $s0))))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (local.set $rows (i32.add (local.get $rows) (local.get $stride)))
        (br $single)))))
