// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title The code of accounts that have a key (EIP-7702)
/// @notice For tests: it signs by the account's own key (ERC-1271), and holds tokens.
contract DelegatedAccount is IERC1271, ERC721Holder {
    receive() external payable {}

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer,,) = ECDSA.tryRecover(hash, signature);
        return signer == address(this) ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
