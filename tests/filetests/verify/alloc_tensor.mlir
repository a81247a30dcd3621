// test verify
func.func @sizes(%t: tensor<4xf32>, %u: tensor<?xf32>, %n: index) {
  %0 = bufferization.alloc_tensor(%n) size_hint=%n <{memory_space = 3 : i64}> {some} : tensor<?xf32>
  // expected-error@+1 {{has 0 sizes for tensor<?xf32>, which needs 1}}
  %1 = bufferization.alloc_tensor() : tensor<?xf32>
  // expected-error@+1 {{copies tensor<4xf32> to tensor<8xf32>}}
  %2 = bufferization.alloc_tensor() copy(%t) : tensor<8xf32>
  // expected-error@+1 {{takes its sizes from the tensor that it copies}}
  %3 = bufferization.alloc_tensor(%n) copy(%u) : tensor<?xf32>
  return
}
