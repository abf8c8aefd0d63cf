// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Executes operations and emits the main events like ERC-4337's EntryPoint v0.7, but does not validate
/// operations and takes no fees.
contract TestEntryPoint {
    struct PackedUserOperation {
        address sender;
        uint256 nonce;
        bytes initCode;
        bytes callData;
        bytes32 accountGasLimits;
        uint256 preVerificationGas;
        bytes32 gasFees;
        bytes paymasterAndData;
        bytes signature;
    }

    event BeforeExecution();
    event UserOperationEvent(
        bytes32 indexed userOpHash,
        address indexed sender,
        address indexed paymaster,
        uint256 nonce,
        bool success,
        uint256 actualGasCost,
        uint256 actualGasUsed
    );

    function handleOps(PackedUserOperation[] calldata ops, address payable) external {
        emit BeforeExecution();
        for (uint256 i = 0; i < ops.length; i++) {
            PackedUserOperation calldata op = ops[i];
            (bool success,) = op.sender.call(op.callData);
            emit UserOperationEvent(keccak256(abi.encode(op)), op.sender, address(0), op.nonce, success, 0, 0);
        }
    }
}
