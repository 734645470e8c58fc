// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";

/// @title The proxy at the address of an ERC-8004 registry
/// @notice As on Base, the registries' addresses hold a proxy and their code can be upgraded (event Upgraded).
contract Erc8004Proxy is ERC1967Proxy {
    constructor(address implementation, bytes memory initialization) ERC1967Proxy(implementation, initialization) {}
}
