// Attention with 128 numbers a head: the tiles of its two loops are never in use at once and lie in the same bytes, so that K and V
// (16 KB each) and the exchange of exponentials (128 x 64 halves, 16 KB) fit into 64 KB. That leaves no room for a second
// workgroup on a compute unit, so a thread may have the registers that one would take: K and V are read a block ahead.
// 128 x 64 x 128 multiply-adds of 32x32x8 are 128 products twice, of which each of four subgroups has a quarter. The exchange takes two
// barriers in an iteration, and the tiles two; each of the exchanges in between, 128 numbers, two.
// expect gfx942: exposed loads 0, spills 0, shared bytes <= 65536, barriers <= 20
// lanewise.args H = 2, G = 1, M = 130, N = 130, reach = 1 : q = normal(H, M, 128), k = normal(G, N, 128), v = normal(G, N, 128), o = empty(H, M, 128), reach ; grid = (ceildiv(M, 128), H, 1)
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = ["parallel", "parallel", "reduction"]

// One step: S's exponentials times V join the accumulators, which are scaled to the new maxima first. 2^(x log2(e) / 8) = e^(x / 8).
func.func private @step(%s: vector<128x64xf32>, %v: vector<64x128xf16>, %o: vector<128x128xf32>, %max: vector<128xf32>,
    %sum: vector<128xf32>) -> (vector<128x128xf32>, vector<128xf32>, vector<128xf32>) {
  %scale = arith.constant dense<0.18033688> : vector<128xf32>
  %scales = arith.constant dense<0.18033688> : vector<128x64xf32>
  %max1 = vector.multi_reduction <maximumf>, %s, %max [1] : vector<128x64xf32> to vector<128xf32>
  %scaled = arith.mulf %max1, %scale : vector<128xf32>
  %minus = arith.negf %scaled : vector<128xf32>
  %t0 = vector.broadcast %minus : vector<128xf32> to vector<64x128xf32>
  %t1 = vector.transpose %t0, [1, 0] : vector<64x128xf32> to vector<128x64xf32>
  %t2 = math.fma %s, %scales, %t1 : vector<128x64xf32>
  %p = math.exp2 %t2 : vector<128x64xf32>
  %less = math.fma %max, %scale, %minus : vector<128xf32>
  %factor = math.exp2 %less : vector<128xf32>
  %sum0 = arith.mulf %sum, %factor : vector<128xf32>
  %sum1 = vector.multi_reduction <add>, %p, %sum0 [1] : vector<128x64xf32> to vector<128xf32>
  %f0 = vector.broadcast %factor : vector<128xf32> to vector<128x128xf32>
  %f1 = vector.transpose %f0, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
  %o0 = arith.mulf %o, %f1 : vector<128x128xf32>
  %p16 = arith.truncf %p : vector<128x64xf32> to vector<128x64xf16>
  %o1 = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = #product, kind = #vector.kind<add>}
    %p16, %v, %o0 : vector<128x64xf16>, vector<64x128xf16> into vector<128x128xf32>
  return %o1, %max1, %sum1 : vector<128x128xf32>, vector<128xf32>, vector<128xf32>
}

gpu.func @attention(%Q: memref<?x?x128xf16>, %K: memref<?x?x128xf16>, %V: memref<?x?x128xf16>, %O: memref<?x?x128xf16>,
    %reach: index) kernel attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %pad = arith.constant 0.0 : f16
  %zeros = arith.constant dense<0.0> : vector<128x128xf32>
  %zero = arith.constant dense<0.0> : vector<128x64xf32>
  %lowest = arith.constant dense<0xFF800000> : vector<128x64xf32>
  %max0 = arith.constant dense<0xFF800000> : vector<128xf32>
  %sum0 = arith.constant dense<0.0> : vector<128xf32>

  %block = gpu.block_id x
  %m = arith.muli %block, %c128 : index
  %head = gpu.block_id y
  %heads = memref.dim %Q, %c0 : memref<?x?x128xf16>
  %groups = memref.dim %K, %c0 : memref<?x?x128xf16>
  %each = arith.divui %heads, %groups : index
  %group = arith.divui %head, %each : index
  %keys = memref.dim %K, %c1 : memref<?x?x128xf16>
  %seen0 = arith.addi %m, %reach : index  // by the first query, and by the last
  %seen1 = arith.addi %seen0, %c127 : index
  %by_all = arith.minui %seen0, %keys : index
  %end = arith.minui %seen1, %keys : index
  %tiles = arith.divui %by_all, %c64 : index
  %whole = arith.muli %tiles, %c64 : index

  %q = vector.transfer_read %Q[%head, %m, %c0], %pad {in_bounds = [false, true]} : memref<?x?x128xf16>, vector<128x128xf16>
  %r:3 = scf.for %n = %c0 to %whole step %c64 iter_args(%o = %zeros, %max = %max0, %sum = %sum0)
      -> (vector<128x128xf32>, vector<128xf32>, vector<128xf32>) {
    %k = vector.transfer_read %K[%group, %n, %c0], %pad {in_bounds = [true, true]} : memref<?x?x128xf16>, vector<64x128xf16>
    %v = vector.transfer_read %V[%group, %n, %c0], %pad {in_bounds = [true, true]} : memref<?x?x128xf16>, vector<64x128xf16>
    %s = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = #product, kind = #vector.kind<add>}
      %q, %k, %zero : vector<128x128xf16>, vector<64x128xf16> into vector<128x64xf32>
    %next:3 = func.call @step(%s, %v, %o, %max, %sum) : (vector<128x64xf32>, vector<64x128xf16>, vector<128x128xf32>,
      vector<128xf32>, vector<128xf32>) -> (vector<128x128xf32>, vector<128xf32>, vector<128xf32>)
    scf.yield %next#0, %next#1, %next#2 : vector<128x128xf32>, vector<128xf32>, vector<128xf32>
  }

  %row0 = vector.step : vector<128xindex>
  %first = vector.broadcast %by_all : index to vector<128xindex>  // what is beyond all keys counts as their number
  %limit = vector.broadcast %keys : index to vector<128xindex>
  %row1 = arith.addi %row0, %first : vector<128xindex>
  %row2 = arith.minui %row1, %limit : vector<128xindex>
  %row3 = vector.broadcast %row2 : vector<128xindex> to vector<64x128xindex>
  %bound = vector.transpose %row3, [1, 0] : vector<64x128xindex> to vector<128x64xindex>
  %column0 = vector.step : vector<64xindex>
  %t:3 = scf.for %n = %whole to %end step %c64 iter_args(%o = %r#0, %max = %r#1, %sum = %r#2)
      -> (vector<128x128xf32>, vector<128xf32>, vector<128xf32>) {
    %k = vector.transfer_read %K[%group, %n, %c0], %pad {in_bounds = [false, true]} : memref<?x?x128xf16>, vector<64x128xf16>
    %v = vector.transfer_read %V[%group, %n, %c0], %pad {in_bounds = [false, true]} : memref<?x?x128xf16>, vector<64x128xf16>
    %s0 = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = #product, kind = #vector.kind<add>}
      %q, %k, %zero : vector<128x128xf16>, vector<64x128xf16> into vector<128x64xf32>
    %column1 = vector.broadcast %n : index to vector<64xindex>
    %column2 = arith.addi %column0, %column1 : vector<64xindex>
    %columns = vector.broadcast %column2 : vector<64xindex> to vector<128x64xindex>
    %inside = arith.cmpi ult, %columns, %bound : vector<128x64xindex>
    %s = arith.select %inside, %s0, %lowest : vector<128x64xi1>, vector<128x64xf32>
    %next:3 = func.call @step(%s, %v, %o, %max, %sum) : (vector<128x64xf32>, vector<64x128xf16>, vector<128x128xf32>,
      vector<128xf32>, vector<128xf32>) -> (vector<128x128xf32>, vector<128xf32>, vector<128xf32>)
    scf.yield %next#0, %next#1, %next#2 : vector<128x128xf32>, vector<128xf32>, vector<128xf32>
  }

  %sum1 = vector.broadcast %t#2 : vector<128xf32> to vector<128x128xf32>
  %sum2 = vector.transpose %sum1, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
  %quotient = arith.divf %t#0, %sum2 : vector<128x128xf32>
  %out = arith.truncf %quotient : vector<128x128xf32> to vector<128x128xf16>
  vector.transfer_write %out, %O[%head, %m, %c0] {in_bounds = [false, true]} : vector<128x128xf16>, memref<?x?x128xf16>
  gpu.return
}
