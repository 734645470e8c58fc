// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";

/// @title A hostile wallet and token
/// @notice For tests of everything that runs code of strangers: it burns a set amount of gas before it accepts a token or
///   a signature, and its symbol is as long as the gas it gets allows.
contract GasBurner is IERC1271, IERC721Receiver {
    /// @notice Gas that each acceptance burns.
    uint256 public immutable toBurn;

    constructor(uint256 toBurn_) payable {
        toBurn = toBurn_;
    }

    receive() external payable {}

    function onERC721Received(address, address, uint256, bytes calldata) external view returns (bytes4) {
        _burn();
        return IERC721Receiver.onERC721Received.selector;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        _burn();
        return IERC1271.isValidSignature.selector;
    }

    function balanceOf(address) external view returns (uint256) {
        _burn();
        return 1;
    }

    /// @dev Returns as much memory as half of the gas pays for, up to a megabyte.
    function symbol() external view returns (string memory) {
        uint256 size = gasleft() / 8;
        if (size > 1_048_576) size = 1_048_576;
        return string(new bytes(size));
    }

    function _burn() private view {
        uint256 end = gasleft() > toBurn ? gasleft() - toBurn : 0;
        uint256 n;
        while (gasleft() > end) n++;
    }
}
