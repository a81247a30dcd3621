// Every example of the vector dialect's document, in its order: as it is written there, or with the erratum named above.
// What its examples take for granted (%A, %0, ...) are arguments here.
// test roundtrip
// test verify
// Virtual vector operations. Read: the type behind `:` of `strided_slice`, which that of its result does not follow.
func.func @virtual_vector_ops(%0: vector<3x7x8xf32>, %s: f32, %v: vector<4x8x16xf32>, %a: vector<4xf32>, %b: vector<8xf32>,
    %acc: vector<4x8xf32>, %A: memref<7x?xf32>, %B: memref<?x?x?x?xf32>, %f1: vector<5x4x3xf32>,
    %i0: index, %i1: index, %i2: index, %i3: index) {
  %1 = std.addf %0, %0 : vector<3x7x8xf32>
  %2 = std.mulf %0, %0 : vector<3x7x8xf32>
  %3 = std.splat %s : vector<3x7x8xf32>
  %4 = vector.extract %0[1]: vector<3x7x8xf32>
  %5 = vector.extract %0[1, 5]: vector<3x7x8xf32>
  %6 = vector.outerproduct %a, %b: vector<4xf32>, vector<8xf32>
  %7 = vector.outerproduct %a, %b, %acc: vector<4xf32>, vector<8xf32>
  %8 = vector.strided_slice %v {offsets = [2, 2], sizes = [2, 2], strides = [1, 1]}:
     vector<4x8x16xf32>
  // Erratum: its padding is missing.
  %9 = vector.transfer_read %A[%i0, %i1], %s
    {permutation_map = (d0, d1) -> (d0)}: memref<7x?xf32>, vector<4xf32>
  vector.transfer_write %f1, %B[%i0, %i1, %i2, %i3]
    {permutation_map = (d0, d1, d2, d3) -> (d3, d1, d0)} :
      vector<5x4x3xf32>, memref<?x?x?x?xf32>
  return
}

// -----

func.func @cast(%0: vector<4x8x16x32xf32>) {
  %1 = vector.cast %0: vector<4x8x16x32xf32> to vector<4x4096xf32>
  return
}

// -----

func.func @broadcast() {
  %0 = constant 0.0 : f32
  %1 = vector.broadcast %0 : f32 to vector<16xf32>
  %2 = vector.broadcast %1 : vector<16xf32> to vector<4x16xf32>
  return
}

// -----

func.func @constant_mask() {
  %1 = vector.constant_mask [3, 2] : vector<4x3xi1>
  return
}

// -----

#contraction_accesses = [
 affine_map<(i) -> (i)>,
 affine_map<(i) -> (i)>,
 affine_map<(i) -> ()>
]
#contraction_trait = {
  indexing_maps = #contraction_accesses,
  iterator_types = ["reduction"]
}
func.func @contract_dot(%0: vector<10xf32>, %1: vector<10xf32>, %2: f32) {
  %3 = vector.contract #contraction_trait %0, %1, %2
    : vector<10xf32>, vector<10xf32> into f32
  return
}

// -----

#contraction_accesses = [
  affine_map<(i, j, k) -> (i, k)>,
  affine_map<(i, j, k) -> (k, j)>,
  affine_map<(i, j, k) -> (i, j)>
]
#contraction_trait = {
  indexing_maps = #contraction_accesses,
  iterator_types = ["parallel", "parallel", "reduction"]
}
func.func @contract_matmul(%0: vector<4x3xf32>, %1: vector<3x7xf32>, %2: vector<4x7xf32>) {
  %3 = vector.contract #contraction_trait %0, %1, %2
    : vector<4x3xf32>, vector<3x7xf32> into vector<4x7xf32>
  return
}

// -----

#contraction_accesses = [
  affine_map<(b0, f0, f1, c0, c1) -> (c0, b0, c1, f0)>,
  affine_map<(b0, f0, f1, c0, c1) -> (b0, c1, c0, f1)>,
  affine_map<(b0, f0, f1, c0, c1) -> (b0, f0, f1)>
]
#contraction_trait = {
  indexing_maps = #contraction_accesses,
  iterator_types = ["parallel", "parallel", "parallel",
                    "reduction", "reduction"]
}
func.func @contract_batch(%0: vector<7x8x16x15xf32>, %1: vector<8x16x7x5xf32>, %2: vector<8x15x5xf32>) {
  %4 = vector.contract #contraction_trait %0, %1, %2
      : vector<7x8x16x15xf32>, vector<8x16x7x5xf32> into vector<8x15x5xf32>
  return
}

// -----

// Erratum: the masked example needs six iterators, none of them a batch.
#contraction_accesses = [
  affine_map<(f0, f1, f2, f3, c0, c1) -> (c0, f0, c1, f1)>,
  affine_map<(f0, f1, f2, f3, c0, c1) -> (f2, c1, c0, f3)>,
  affine_map<(f0, f1, f2, f3, c0, c1) -> (f0, f1, f2, f3)>
]
#contraction_trait = {
  indexing_maps = #contraction_accesses,
  iterator_types = ["parallel", "parallel", "parallel", "parallel",
                    "reduction", "reduction"]
}
func.func @contract_masked(%0: vector<7x8x16x15xf32>, %1: vector<8x16x7x5xf32>, %2: vector<8x15x8x5xf32>) {
  %lhs_mask = vector.constant_mask [7, 8, 16, 15] : vector<7x8x16x15xi1>
  %rhs_mask = vector.constant_mask [8, 16, 7, 5] : vector<8x16x7x5xi1>

  %5 = vector.contract #contraction_trait %0, %1, %2, %lhs_mask, %rhs_mask
     : vector<7x8x16x15xf32>, vector<8x16x7x5xf32> into vector<8x15x8x5xf32>
  return
}

// -----

func.func @create_mask(%c3: index, %c2: index) {
  %1 = vector.create_mask %c3, %c2 : vector<4x3xi1>
  return
}

// -----

func.func @extractelement(%0: vector<16xf32>) {
  %c = constant 15 : i32
  %1 = vector.extractelement %0[%c : i32]: vector<16xf32>
  return
}

// -----

func.func @extract(%0: vector<4x8x16xf32>) {
  %1 = vector.extract %0[3]: vector<4x8x16xf32>
  %2 = vector.extract %0[3, 3, 3]: vector<4x8x16xf32>
  return
}

// -----

func.func @extract_slices(%0: vector<4x2xf32>, %2: vector<4x3xf32>) {
  %1 = vector.extract_slices %0, [2, 2], [1, 1]
    : vector<4x2xf32> into tuple<vector<2x2xf32>, vector<2x2xf32>>
  %3 = vector.extract_slices %2, [2, 2], [1, 1]
    : vector<4x3xf32> into tuple<vector<2x2xf32>, vector<2x1xf32>,
                                 vector<2x2xf32>, vector<2x1xf32>>
  return
}

// -----

func.func @fma(%0: vector<8x16xf32>, %1: vector<8x16xf32>, %2: vector<8x16xf32>) {
  %3 = vector.fma %0, %1, %2: vector<8x16xf32>
  return
}

// -----

// Erratum: `0.0f` is no number.
func.func @insertelement(%0: vector<16xf32>) {
  %c = constant 15 : i32
  %f = constant 0.0 : f32
  %1 = vector.insertelement %f, %0[%c : i32]: vector<16xf32>
  return
}

// -----

func.func @insert(%0: vector<8x16xf32>, %1: vector<4x8x16xf32>, %3: f32, %4: vector<4x8x16xf32>) {
  %2 = vector.insert %0, %1[3] : vector<8x16xf32> into vector<4x8x16xf32>
  %5 = vector.insert %3, %4[3, 3, 3] : f32 into vector<4x8x16xf32>
  return
}

// -----

// Erratum: the first example calls its tuple and the vector that it is taken from by one name.
func.func @insert_slices(%v: vector<4x2xf32>, %2: vector<4x3xf32>) {
  %0 = vector.extract_slices %v, [2, 2], [1, 1]
    : vector<4x2xf32> into tuple<vector<2x2xf32>, vector<2x2xf32>>

  %1 = vector.insert_slices %0, [2, 2], [1, 1]
    : tuple<vector<2x2xf32>, vector<2x2xf32>> into vector<4x2xf32>
  %3 = vector.extract_slices %2, [2, 2], [1, 1]
    : vector<4x3xf32> into tuple<vector<2x2xf32>, vector<2x1xf32>,
                                 vector<2x2xf32>, vector<2x1xf32>>

  %4 = vector.insert_slices %3, [2, 2], [1, 1]
    : tuple<vector<2x2xf32>, vector<2x1xf32>,
            vector<2x2xf32>, vector<2x1xf32>> into vector<4x3xf32>
  return
}

// -----

func.func @insert_strided_slice(%0: vector<2x4xf32>, %1: vector<16x4x8xf32>) {
  %2 = vector.insert_strided_slice %0, %1
      {offsets = [0, 0, 2], strides = [1, 1]}:
    vector<2x4xf32> into vector<16x4x8xf32>
  return
}

// -----

func.func @matrix_multiply(%A: vector<64xf64>, %B: vector<48xf64>) {
  %C = vector.matrix_multiply %A, %B
    { lhs_rows = 4: i32, lhs_columns = 16: i32 , rhs_columns = 3: i32 } :
    (vector<64xf64>, vector<48xf64>) -> vector<12xf64>
  return
}

// -----

func.func @outerproduct_of_two(%0: vector<4xf32>, %1: vector<8xf32>) -> vector<4x8xf32> {
  %2 = vector.outerproduct %0, %1: vector<4xf32>, vector<8xf32>
  return %2: vector<4x8xf32>
}

func.func @outerproduct_of_three(%0: vector<4xf32>, %1: vector<8xf32>, %2: vector<4x8xf32>) -> vector<4x8xf32> {
  %3 = vector.outerproduct %0, %1, %2:
    vector<4xf32>, vector<8xf32>, vector<4x8xf32>
  return %3: vector<4x8xf32>
}

// -----

func.func @print() {
  %0 = constant 0.0 : f32
  %1 = vector.broadcast %0 : f32 to vector<4xf32>
  vector.print %1 : vector<4xf32>
  return
}

// -----

func.func @reduction(%0: vector<16xf32>, %2: vector<4xi32>, %acc: f32) {
  %1 = vector.reduction "add", %0 : vector<16xf32> into f32
  %3 = vector.reduction "xor", %2 : vector<4xi32> into i32
  %4 = vector.reduction "mul", %0, %acc : vector<16xf32> into f32
  return
}

// -----

func.func @reshape(%0: vector<3x2x4xf32>) {
  %c2 = constant 2 : index
  %c3 = constant 3 : index
  %c6 = constant 6 : index
  %c9 = constant 9 : index
  %1 = vector.reshape %0, [%c3, %c6], [%c2, %c9], [4] : vector<3x2x4xf32> to vector<2x3x4xf32>
  return
}

// -----

func.func @shape_cast(%0: vector<5x1x4x3xf32>, %2: vector<10x12x8xf32>,
    %4: tuple<vector<3x4x2xf32>, vector<3x3x2xf32>>) {
  %1 = vector.shape_cast %0 : vector<5x1x4x3xf32> to vector<20x3xf32>
  %3 = vector.shape_cast %2 : vector<10x12x8xf32> to vector<5x2x3x4x8xf32>
  %5 = vector.shape_cast %4 : tuple<vector<3x4x2xf32>, vector<3x3x2xf32>> to
                              tuple<vector<12x2xf32>, vector<9x2xf32>>
  return
}

// -----

// Read: what stands behind `;` is a comment.
func.func @shuffle(%a: vector<2xf32>, %b: vector<2xf32>, %c: vector<2x16xf32>, %d: vector<1x16xf32>) {
  %0 = vector.shuffle %a, %b[0, 3]
             : vector<2xf32>, vector<2xf32>
  %1 = vector.shuffle %c, %d[0, 1, 2]
             : vector<2x16xf32>, vector<1x16xf32>
  %2 = vector.shuffle %a, %b[3, 2, 1, 0]
             : vector<2xf32>, vector<2xf32>
  return
}

// -----

func.func @strided_slice(%0: vector<4x8x16xf32>) {
  %1 = vector.strided_slice %0
      {offsets = [0, 2], sizes = [2, 4], strides = [1, 1]}:
    vector<4x8x16xf32> to vector<2x4x16xf32>
  return
}

// -----

// Errata: `permutation_map :` is accepted for `=`; `0.0f` is no number; the example of `(0)` has no padding.
func.func @transfer_read(%A: memref<?x?x?xf32>, %B: memref<?x?xf32>, %arg1: memref<?x?xvector<4x3xf32>>,
    %vf0: vector<4x3xf32>, %i0: index, %i1: index, %i2: index, %c3: index, %C: memref<?x?x?x?xf32>) {
  %f0 = constant 0.0 : f32
  %t = vector.transfer_read %C[%i0, %i1, %i2, %c3], %f0
    { permutation_map : (d0,d1,d2,d3) -> (d2,0,d0) } :
    memref<?x?x?x?xf32>, vector<3x4x5xf32>
  %v = vector.transfer_read %A[%i0, %i1, %i2], (%f0)
       {permutation_map: (d0, d1, d2) -> (d2, d1)} :
       memref<?x?x?xf32>, vector<32x256xf32>
  %3 = vector.transfer_read %B[%i0, %i1], %f0
       {permutation_map: (d0, d1) -> (0)} :
       memref<?x?xf32>, vector<128xf32>
  %4 = vector.transfer_read %arg1[%c3, %c3], %vf0
    {permutation_map = (d0, d1)->(d0, d1)}
      : memref<?x?xvector<4x3xf32>>, vector<1x1x4x3xf32>
  return
}

// -----

func.func @transfer_write(%val: vector<16x32x64xf32>, %A: memref<?x?x?x?xf32>, %4: vector<1x1x4x3xf32>,
    %arg1: memref<?x?xvector<4x3xf32>>, %i0: index, %i1: index, %i2: index, %i3: index, %c3: index) {
  vector.transfer_write %val, %A[%i0, %i1, %i2, %i3]
    {permutation_map: (d0, d1, d2, d3) -> (d3, d1, d2)} :
    vector<16x32x64xf32>, memref<?x?x?x?xf32>
  vector.transfer_write %4, %arg1[%c3, %c3]
    {permutation_map = (d0, d1)->(d0, d1)}
      : vector<1x1x4x3xf32>, memref<?x?xvector<4x3xf32>>
  return
}

// -----

func.func @transpose(%0: vector<2x3xf32>) {
  %1 = vector.transpose %0, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
  return
}

// -----

// Erratum: a stray `>` at the end of both examples of `tuple`.
func.func @tuples(%0: vector<2x2xf32>, %1: vector<2x1xf32>, %2: vector<2x2xf32>, %3: vector<2x1xf32>) {
  %4 = vector.tuple %0, %1, %2, %3
    : vector<2x2xf32>, vector<2x1xf32>, vector<2x2xf32>, vector<2x1xf32>

  %5 = vector.tuple_get %4, 1
    : tuple<vector<2x2xf32>, vector<2x1xf32>,
            vector<2x2xf32>, vector<2x1xf32>>
  return
}

// -----

func.func @type_cast() {
  %A  = alloc() : memref<5x4x3xf32>
  %VA = vector.type_cast %A : memref<5x4x3xf32> to memref<vector<5x4x3xf32>>
  return
}
