// test verify
memref.global @a : memref<4xf32> = uninitialized
memref.global @a : memref<4xf32> = uninitialized // expected-error {{redefinition of '@a'}}
memref.global "secret" @b : memref<4xf32> // expected-error {{sym_visibility must be "private", "public" or "nested", found "secret"}}
memref.global @b2 : memref<4xf32> alignment = 3 // expected-error {{alignment must be a power of two in bytes, found 3}}
// expected-error@+1 {{initial value must be tensor<4xf32> for memref<4xf32>, found tensor<2xf32>}}
"memref.global"() <{initial_value = dense<1.0> : tensor<2xf32>, sym_name = "c", type = memref<4xf32>}> : () -> ()
// expected-error@+1 {{initial value must be tensor<4xf32> for memref<4xf32>, found 1 : i32}}
"memref.global"() <{initial_value = 1 : i32, sym_name = "d", type = memref<4xf32>}> : () -> ()
// expected-error@+1 {{type must be a memref of static shape, found memref<?xf32>}}
"memref.global"() <{sym_name = "e", type = memref<?xf32>}> : () -> ()
func.func @f() {
  %0 = memref.get_global @a : memref<3xf32> // expected-error {{is of type memref<3xf32>, @a of type memref<4xf32>}}
  %1 = memref.get_global @f : memref<3xf32> // expected-error {{@f is no memref.global of this module}}
  return
}
// -----
memref.global @a : memref<?xf32> // expected-error {{the type of a global is a memref of static shape, found memref<?xf32>}}
// -----
memref.global @a : memref<3xf32> = dense<[1.0, 2.0]> // expected-error {{dense literal has shape [2], its type is tensor<3xf32>}}
