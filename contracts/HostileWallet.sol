// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title A contract wallet that burns the gas of whoever calls it
/// @notice For tests of what strangers' contracts can do to the service: it signs by its key (ERC-1271), receives
///   identities, and burns a chosen amount of gas while it does either.
contract HostileWallet is IERC1271 {
    address public immutable key;
    /// @notice Gas burned when a token arrives, and when a signature is checked.
    uint256 public immutable receiveGas;
    uint256 public immutable signGas;
    /// @notice Burns in real transactions only: simulations name no gas price.
    bool public immutable onlyWhenSent;

    constructor(address key_, uint256 receiveGas_, uint256 signGas_, bool onlyWhenSent_) {
        key = key_;
        receiveGas = receiveGas_;
        signGas = signGas_;
        onlyWhenSent = onlyWhenSent_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        burn(signGas);
        (address signer,,) = ECDSA.tryRecover(hash, signature);
        return signer == key ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }

    function onERC721Received(address, address, uint256, bytes calldata) external view returns (bytes4) {
        burn(receiveGas);
        return this.onERC721Received.selector;
    }

    /// @notice Burns an amount of gas, or all there is. Called by a transaction it fills a block.
    function burn(uint256 amount) public view {
        if (amount == 0 || (onlyWhenSent && tx.gasprice == 0)) return;
        uint256 end = gasleft() > amount ? gasleft() - amount : 0;
        while (gasleft() > end) {}
    }
}
