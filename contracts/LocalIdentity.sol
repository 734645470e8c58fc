// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import {AgentIdentity} from "./AgentIdentity.sol";

/// @title The identity token of the local chain: AgentIdentity with metadata of the contract as a whole (ERC-7572)
/// @notice The live contract has no `contractURI`, so AgentIdentity, whose interface the service is built on, has none.
contract LocalIdentity is AgentIdentity {
    event ContractURIUpdated();

    string public contractURI;

    constructor(address treasury_, uint256 mintPrice_, uint256 traitPrice_, uint256 namePrice_)
        AgentIdentity(treasury_, mintPrice_, traitPrice_, namePrice_)
    {}

    function setContractURI(string calldata uri) external onlyOwner {
        contractURI = uri;
        emit ContractURIUpdated();
    }
}
