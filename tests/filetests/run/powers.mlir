// Powers and angles of whole tiles, with operands of different types.
// test roundtrip
// test run
// test run data=special
// lanewise.args x = normal(), y = normal(), n = integers(-5, 6), p = empty(), q = empty(), r = empty(), s = empty(); grid = 2
gpu.func @powers(%x: memref<256xf32>, %y: memref<256xf32>, %n: memref<256xi32>, %p: memref<256xf32>,
    %q: memref<256xf32>, %r: memref<256xf32>, %s: memref<256xi32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %tile = arith.constant 128 : index
  %block = gpu.block_id x
  %start = arith.muli %block, %tile : index
  %a = vector.transfer_read %x[%start], %zero : memref<256xf32>, vector<128xf32>
  %b = vector.transfer_read %y[%start], %zero : memref<256xf32>, vector<128xf32>
  %m = vector.transfer_read %n[%start], %none : memref<256xi32>, vector<128xi32>
  %base = math.absf %a : vector<128xf32>
  %power = math.powf %base, %b : vector<128xf32>
  vector.transfer_write %power, %p[%start] : vector<128xf32>, memref<256xf32>
  %angle = math.atan2 %a, %b : vector<128xf32>
  vector.transfer_write %angle, %q[%start] : vector<128xf32>, memref<256xf32>
  %whole = math.fpowi %a, %m : vector<128xf32>, vector<128xi32>
  vector.transfer_write %whole, %r[%start] : vector<128xf32>, memref<256xf32>
  %integer = math.ipowi %m, %m : vector<128xi32>
  vector.transfer_write %integer, %s[%start] : vector<128xi32>, memref<256xi32>
  gpu.return
}
