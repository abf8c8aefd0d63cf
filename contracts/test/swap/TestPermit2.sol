// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice The only Permit2 function that a swap needs, with Permit2's domain, types and unordered nonces.
/// @dev For tests and the devnet, which put its code at Permit2's address. It must therefore have no
/// immutables and no constructor. See https://github.com/Uniswap/permit2, `SignatureTransfer` and `EIP712`.
contract TestPermit2 {
    using SafeERC20 for IERC20;

    struct TokenPermissions {
        address token;
        uint256 amount;
    }

    struct PermitTransferFrom {
        TokenPermissions permitted;
        uint256 nonce;
        uint256 deadline;
    }

    struct SignatureTransferDetails {
        address to;
        uint256 requestedAmount;
    }

    error SignatureExpired(uint256 signatureDeadline);
    error InvalidAmount(uint256 maxAmount);
    error InvalidNonce();
    error InvalidSigner();

    bytes32 private constant DOMAIN_TYPE_HASH =
        keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
    bytes32 private constant TOKEN_PERMISSIONS_TYPE_HASH =
        keccak256("TokenPermissions(address token,uint256 amount)");
    bytes32 private constant PERMIT_TRANSFER_FROM_TYPE_HASH = keccak256(
        "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)TokenPermissions(address token,uint256 amount)"
    );

    mapping(address owner => mapping(uint256 nonce => bool)) private _isUsed;

    /// @notice Transfers at most the amount that `owner` has signed for the caller.
    function permitTransferFrom(
        PermitTransferFrom calldata permit,
        SignatureTransferDetails calldata details,
        address owner,
        bytes calldata signature
    ) external {
        if (block.timestamp > permit.deadline) {
            revert SignatureExpired(permit.deadline);
        }
        if (details.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
        if (_isUsed[owner][permit.nonce]) revert InvalidNonce();
        _isUsed[owner][permit.nonce] = true;
        if (ECDSA.recover(_hash(permit, msg.sender), signature) != owner) revert InvalidSigner();
        IERC20(permit.permitted.token).safeTransferFrom(owner, details.to, details.requestedAmount);
    }

    function _hash(PermitTransferFrom calldata permit, address spender) private view returns (bytes32) {
        bytes32 domain =
            keccak256(abi.encode(DOMAIN_TYPE_HASH, keccak256("Permit2"), block.chainid, address(this)));
        bytes32 permitted = keccak256(
            abi.encode(TOKEN_PERMISSIONS_TYPE_HASH, permit.permitted.token, permit.permitted.amount)
        );
        bytes32 message = keccak256(
            abi.encode(PERMIT_TRANSFER_FROM_TYPE_HASH, permitted, spender, permit.nonce, permit.deadline)
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, message));
    }
}
