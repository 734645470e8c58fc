// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @dev What the validation registry asks the identity registry.
interface IErc8004Owners {
    function isAuthorizedOrOwner(address spender, uint256 agentId) external view returns (bool);
}

/// @title ERC-8004 validation registry of the development chain
/// @notice Speaks the interface of the registry that is published and not deployed yet, version 1.1.0. An agent's side
///   asks a validator; that validator alone answers, as often as it likes. URIs exist in the events only.
contract Erc8004ValidationRegistry {
    struct Validation {
        address validator;
        uint8 response;
        uint256 agentId;
        bytes32 responseHash;
        string tag;
        uint256 lastUpdate;
    }

    uint8 public constant MAX_RESPONSE = 100;

    address public immutable getIdentityRegistry;
    mapping(bytes32 requestHash => Validation) private _validations;

    event ValidationRequest(
        address indexed validatorAddress, uint256 indexed agentId, string requestURI, bytes32 indexed requestHash
    );
    event ValidationResponse(
        address indexed validatorAddress,
        uint256 indexed agentId,
        bytes32 indexed requestHash,
        uint8 response,
        string responseURI,
        bytes32 responseHash,
        string tag
    );

    error BadValidator();
    error RequestExists();
    error NotAuthorized();
    error ResponseTooHigh();
    error UnknownRequest();
    error NotValidator();

    constructor(address identityRegistry) {
        getIdentityRegistry = identityRegistry;
    }

    function validationRequest(
        address validatorAddress,
        uint256 agentId,
        string calldata requestURI,
        bytes32 requestHash
    ) external {
        if (validatorAddress == address(0)) revert BadValidator();
        Validation storage validation = _validations[requestHash];
        if (validation.validator != address(0)) revert RequestExists();
        if (!IErc8004Owners(getIdentityRegistry).isAuthorizedOrOwner(msg.sender, agentId)) revert NotAuthorized();
        validation.validator = validatorAddress;
        validation.agentId = agentId;
        validation.lastUpdate = block.timestamp;
        emit ValidationRequest(validatorAddress, agentId, requestURI, requestHash);
    }

    function validationResponse(
        bytes32 requestHash,
        uint8 response,
        string calldata responseURI,
        bytes32 responseHash,
        string calldata tag
    ) external {
        if (response > MAX_RESPONSE) revert ResponseTooHigh();
        Validation storage validation = _validations[requestHash];
        if (validation.validator == address(0)) revert UnknownRequest();
        if (validation.validator != msg.sender) revert NotValidator();
        validation.response = response;
        validation.responseHash = responseHash;
        validation.tag = tag;
        validation.lastUpdate = block.timestamp;
        emit ValidationResponse(
            msg.sender, validation.agentId, requestHash, response, responseURI, responseHash, tag
        );
    }

    function getValidationStatus(bytes32 requestHash)
        external
        view
        returns (
            address validatorAddress,
            uint256 agentId,
            uint8 response,
            bytes32 responseHash,
            string memory tag,
            uint256 lastUpdate
        )
    {
        Validation storage validation = _validations[requestHash];
        if (validation.validator == address(0)) revert UnknownRequest();
        return (
            validation.validator,
            validation.agentId,
            validation.response,
            validation.responseHash,
            validation.tag,
            validation.lastUpdate
        );
    }
}
