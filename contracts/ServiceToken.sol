// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title The service's own token on the development chain
/// @notice A plain ERC-20 with 18 decimals and a fixed supply of a billion, all of it given to one holder.
contract ServiceToken is ERC20 {
    constructor(address holder) ERC20("Cred", "CRED") {
        _mint(holder, 1_000_000_000 ether);
    }
}
