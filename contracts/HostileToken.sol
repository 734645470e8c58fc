// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title A token whose texts are what its maker likes
/// @notice For tests of the service's reading of strangers' tokens: symbol and name answer any bytes.
contract HostileToken {
    bytes private _text;

    constructor(bytes memory text) {
        _text = text;
    }

    function symbol() external view returns (string memory) {
        return string(_text);
    }

    function name() external view returns (string memory) {
        return string(_text);
    }

    function decimals() external pure returns (uint8) {
        return 255;
    }
}
