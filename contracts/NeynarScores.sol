// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title Neynar's scores, by wallet
/// @notice For local chains: what is read of Neynar's contract on Base (0xd3C4…debA8). A score has six decimals; 0 says
///   that there is none.
contract NeynarScores {
    address public immutable operator;
    mapping(address wallet => uint24 score) public getScore;

    error NotOperator();

    constructor(address operator_) {
        operator = operator_;
    }

    function setScore(address wallet, uint24 score) external {
        if (msg.sender != operator) revert NotOperator();
        getScore[wallet] = score;
    }
}
