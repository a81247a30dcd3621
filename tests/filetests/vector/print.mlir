// Vectors are printed once, whole, in nested parentheses, whatever their layout is; numbers as printf's %g.
// test roundtrip
// test run
// test run target=sm_80
// test run target=gfx942
// test run target=gfx1100
// lanewise.args x = index(2, 3); grid = 2
// prints ( ( 0, 1, 2 ), ( 3, 4, 5 ) )
// prints ( ( 0, 0.5 ), ( 1, 1.5 ), ( 2, 2.5 ) )
// prints 1.5, -2, 65504, inf
// prints ( 0 )( 1, 0 ) Workgroup
// prints 0
// prints ( ( 0, 1, 2 ), ( 3, 4, 5 ) )
// prints ( ( 0, 0.5 ), ( 1, 1.5 ), ( 2, 2.5 ) )
// prints 1.5, -2, 65504, inf
// prints ( 0 )( 1, 0 ) Workgroup
// prints 1
gpu.func @values(%x: memref<2x3xf32>) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<2x3xf32>, vector<2x3xf32>
  vector.print %v : vector<2x3xf32>
  %half = arith.constant dense<0.5> : vector<2x3xf32>
  %product = arith.mulf %v, %half : vector<2x3xf32>
  %turned = vector.shape_cast %product : vector<2x3xf32> to vector<3x2xf32>
  %f64 = arith.extf %turned : vector<3x2xf32> to vector<3x2xf64>
  vector.print %f64 : vector<3x2xf64>
  %a = arith.constant 1.5 : bf16
  %b = arith.constant -2 : i8
  %c = arith.constant 65504.0 : f16
  %d = arith.constant 0x7F800000 : f32
  vector.print %a : bf16 punctuation <comma>
  vector.print %b : i8 punctuation <comma>
  vector.print %c : f16 punctuation <comma>
  vector.print %d : f32
  %scalar = vector.extract %v[0, 0] : f32 from vector<2x3xf32>
  %rank0 = vector.broadcast %scalar : f32 to vector<f32>
  vector.print %rank0 : vector<f32> punctuation <no_punctuation>
  %flags = vector.constant_mask [1] : vector<2xi1>
  vector.print punctuation <open>
  %f0 = vector.extract %flags[0] : i1 from vector<2xi1>
  %f1 = vector.extract %flags[1] : i1 from vector<2xi1>
  vector.print %f0 : i1 punctuation <comma>
  vector.print %f1 : i1 punctuation <close>
  vector.print str " Workgroup\0A"
  %id = gpu.block_id x
  vector.print %id : index
  gpu.return
}
// -----
// Integers are signed, index and i1 are not; a type of any width. One of a loop's iterations prints under a condition.
// lanewise.args n = full(1, value=3); grid = 1
// prints ( -1, 7, -8 )
// prints 18446744073709551615
// prints ( -9223372036854775808, 4294967296 )
// prints 0 2
gpu.func @integers(%n: memref<1xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %short = arith.constant dense<[-1, 7, -8]> : vector<3xi4>
  vector.print %short : vector<3xi4>
  %all = arith.constant -1 : index
  vector.print %all : index
  %long = arith.constant dense<[-9223372036854775808, 4294967296]> : vector<2xi64>
  vector.print %long : vector<2xi64>
  %end = memref.load %n[%c0] : memref<1xi32>
  %count = arith.index_cast %end : i32 to index
  scf.for %i = %c0 to %count step %c1 {
    %is_one = arith.cmpi ne, %i, %c1 : index
    scf.if %is_one {
      vector.print %i : index punctuation <no_punctuation>
      vector.print str " "
    }
  }
  vector.print
  gpu.return
}
