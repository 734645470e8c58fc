// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {WebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";

/// @title A contract wallet with a passkey
/// @notice For tests of everything that must accept wallets of browsers and phones: it signs by a P-256 key that a
///   WebAuthn authenticator holds (ERC-1271), and holds tokens.
contract PasskeyWallet is IERC1271, ERC721Holder {
    bytes32 public immutable x;
    bytes32 public immutable y;

    constructor(bytes32 x_, bytes32 y_) {
        x = x_;
        y = y_;
    }

    /// @param signature the ABI encoding of the members of a `WebAuthn.WebAuthnAuth` whose challenge is the hash
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (bool isAssertion, WebAuthn.WebAuthnAuth calldata auth) = WebAuthn.tryDecodeAuth(signature);
        bool isValid = isAssertion && WebAuthn.verify(abi.encodePacked(hash), auth, x, y);
        return isValid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
