# The Debian packages that CPack makes of the installed components.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME weft)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Weft authors <weft@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL weft weft-sim weft-doc)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(debian ${CMAKE_CURRENT_SOURCE_DIR}/debian)
# A component is its package; CPack's variables have the name in capitals.
set(CPACK_DEBIAN_WEFT_PACKAGE_NAME weft)
set(CPACK_DEBIAN_WEFT_PACKAGE_SECTION net)
set(CPACK_DEBIAN_WEFT_PACKAGE_SHLIBDEPS ON)
# procps: the unit reloads by kill.
set(CPACK_DEBIAN_WEFT_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers | systemd-sysusers, procps")
set(CPACK_DEBIAN_WEFT_PACKAGE_SUGGESTS "weft-sim, weft-doc, etcd-server")
set(CPACK_DEBIAN_WEFT_PACKAGE_CONTROL_EXTRA ${debian}/postinst ${debian}/prerm ${debian}/postrm ${debian}/conffiles)
set(CPACK_COMPONENT_WEFT_DESCRIPTION "InfiniBand subnet manager
weftd discovers an InfiniBand fabric, assigns LIDs, computes and proves the
forwarding tables, programs every switch and port, answers the hosts (SA,
multicast), and keeps partitions and service levels. weftctl asks and
controls it.")

set(CPACK_DEBIAN_WEFT-SIM_PACKAGE_NAME weft-sim)
set(CPACK_DEBIAN_WEFT-SIM_PACKAGE_SECTION net)
set(CPACK_DEBIAN_WEFT-SIM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_WEFT-SIM_PACKAGE_RECOMMENDS weft)
set(CPACK_COMPONENT_WEFT-SIM_DESCRIPTION "simulated InfiniBand fabrics
weftsim simulates a fabric that weftd, OpenSM, infiniband-diags and other
programs can be run on without hardware; weftsim-run starts them.
weft-demo shows the subnet manager bringing a fabric up.")

set(CPACK_DEBIAN_WEFT-DOC_PACKAGE_NAME weft-doc)
set(CPACK_DEBIAN_WEFT-DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_WEFT-DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_WEFT-DOC_DESCRIPTION "documents of the InfiniBand subnet manager weft
First steps, configuration, operating, troubleshooting by symptom, the
simulator, the control API and the design.")

include(CPack)
