# SPDX-License-Identifier: Apache-2.0
# Writes a header that puts compiled kernels into the object that includes it, and a table of them:
#   cmake -DNAME=hip_images -DARCHITECTURES="gfx942 gfx1201" -DFOLDER=DIR -DOUTPUT=FILE -P embed_images.cmake
# The image for an architecture is DIR/ARCHITECTURE.image; `any` is one from which the driver chooses itself. The
# assembler reads the images: as arrays in C, megabytes take the compiler a quarter of a minute.
separate_arguments(ARCHITECTURES)
set(arrays)
set(rows)
set(i 0)
foreach(architecture IN LISTS ARCHITECTURES)
  set(image ${FOLDER}/${architecture}.image)
  file(SIZE ${image} bytes)
  if(bytes EQUAL 0)
    message(FATAL_ERROR "${image} is empty")
  endif()
  set(array ${NAME}_${i})
  string(APPEND arrays
    "__asm__(\".pushsection .rodata\\n.balign 4096\\n${array}:\\n.incbin \\\"${image}\\\"\\n.popsection\");\n"
    "extern const __attribute__((visibility(\"hidden\"))) unsigned char ${array}[]; /* ${bytes} bytes */\n")
  set(of ${architecture})
  if(of STREQUAL "any")
    set(of "")
  endif()
  string(APPEND rows "    {\"${of}\", ${array}},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made of the compiled kernels by embed_images.cmake. */\n${arrays}static const gpu_image ${NAME}[] = {\n${rows}};\n")
