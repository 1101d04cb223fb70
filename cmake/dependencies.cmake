# Everything libcarom links against, gathered in one interface target.
include(CMakeFindDependencyMacro)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# By its own name: plain `hdf5` is whichever variant the alternatives prefer, perhaps the MPI one.
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)

add_library(carom_dependencies INTERFACE)
set(carom_private_libraries "")

function(carom_needs library)
  find_library(CAROM_LIB_${library} ${library} REQUIRED ${ARGN})
  target_link_libraries(carom_dependencies INTERFACE ${CAROM_LIB_${library}})
  set(carom_private_libraries "${carom_private_libraries} -l${library}" PARENT_SCOPE)
endfunction()

foreach(part cvode arkode ida nvecserial sunmatrixdense sunmatrixsparse sunlinsoldense sunlinsolklu
        sunnonlinsolnewton sunnonlinsolfixedpoint generic)
  carom_needs(sundials_${part})
endforeach()
carom_needs(z)
foreach(part klu amd colamd btf suitesparseconfig)
  carom_needs(${part})
endforeach()
find_path(CAROM_SUITESPARSE_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)

# The single-threaded OpenBLAS: sims run one to a thread, and a pool of BLAS threads inside each would be ruinous.
# Debian's serial variant shares its soname with the threaded one, so the run path names its folder. Elsewhere, give
# CAROM_BLAS a library (set OPENBLAS_NUM_THREADS=1 if it is a threaded one).
find_library(CAROM_BLAS openblas HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial NO_DEFAULT_PATH)
if(NOT CAROM_BLAS)
  message(FATAL_ERROR "single-threaded OpenBLAS not found: install libopenblas-serial-dev, or give -DCAROM_BLAS=FILE")
endif()
get_filename_component(blas_folder ${CAROM_BLAS} DIRECTORY)
set(CMAKE_INSTALL_RPATH ${blas_folder})

target_include_directories(carom_dependencies SYSTEM INTERFACE ${CAROM_SUITESPARSE_INCLUDE})
target_link_libraries(carom_dependencies INTERFACE ${CAROM_BLAS} PkgConfig::HDF5 PkgConfig::FYAML Threads::Threads m)
string(APPEND carom_private_libraries " -L${blas_folder} -Wl,-rpath,${blas_folder} -lopenblas -lpthread -lm")
