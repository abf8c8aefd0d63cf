// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Split, TOTAL_ALLOCATION, hashSplit } from "./Split.sol";
import { committedSplitHash } from "./SplitProxy.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { LowLevelCall } from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title PaymentSplit
/// @notice Receives the payments of a charge. Any account may distribute the balance, but only to the
/// recipients that the address commits to. A split has no owner and cannot be changed.
/// @dev Runs behind a minimal proxy (SplitProxy.sol), whose code ends with the 32-byte hash of its `Split`
/// and which accepts native coin without calling this code. `distribute` and `SplitDistributed` have the same
/// ABI as in 0xSplits v2.2, so that keepers can use the same code. If a recipient cannot be paid a token, the
/// split holds their share and pays the other recipients. Any account can release the share later. Native
/// coin only arrives by mistake and is never held: either all recipients are paid, or nothing moves.
contract PaymentSplit is ReentrancyGuardTransient {
    /// @dev The address that denotes the native coin in 0xSplits and in most routers.
    address private constant NATIVE_COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @dev On Arc the native coin is USDC, which is distributed as its ERC-20 token.
    uint256 private constant ARC = 5042;
    uint256 private constant ARC_TESTNET = 5_042_002;

    /// @notice The amount held for a recipient whose payout failed, in the token's atomic units.
    mapping(address token => mapping(address recipient => uint256 amount)) public held;

    /// @notice The sum of `held` over all recipients, in the token's atomic units.
    mapping(address token => uint256 amount) public totalHeld;

    /// @notice The distributable amount was distributed.
    /// @param token the ERC-20, or 0xEeee…EEeE for the native coin
    /// @param distributor the account named for the incentive; zero if there is none, or if it is this split
    /// @param amount gross amount: payouts, held payouts and the distributor's incentive, in atomic units
    event SplitDistributed(address indexed token, address indexed distributor, uint256 amount);

    /// @notice A payout failed; the split holds its amount for the recipient.
    /// @param token the ERC-20
    /// @param recipient the account that could not be paid
    /// @param amount the newly held amount, in atomic units
    event PayoutHeld(address indexed token, address indexed recipient, uint256 amount);

    /// @notice The recipient was paid the whole amount held for them.
    /// @param token the ERC-20
    /// @param recipient the account that was paid
    /// @param amount the amount paid, in atomic units
    event PayoutReleased(address indexed token, address indexed recipient, uint256 amount);

    /// @notice The given terms are not the terms that this address commits to.
    /// @param given the hash of the given terms
    /// @param committed the hash in this split's code
    error SplitMismatch(bytes32 given, bytes32 committed);

    /// @notice The balance is zero or completely held.
    /// @param balance the split's balance, in atomic units
    /// @param totalHeld the held part of the balance, in atomic units
    error NothingToDistribute(uint256 balance, uint256 totalHeld);

    /// @notice No recipient could be paid, for example because the token is paused or this split is blocked.
    error AllPayoutsFailed();

    /// @notice The distributor cannot receive the token.
    error IncentiveTransferFailed();

    /// @notice Nothing is held for this recipient in this token.
    error NothingHeld();

    /// @notice The recipient still cannot be paid.
    error ReleaseFailed();

    /// @notice A recipient rejects the native coin, which is never held. No recipient was paid.
    /// @param recipient the account that rejects the native coin
    /// @param amount their share, in atomic units
    error NativePayoutFailed(address recipient, uint256 amount);

    /// @notice On this chain the native coin is also a token. Distribute that token instead.
    /// @param chainId the chain id of Arc or of its testnet
    error NativeUnsupported(uint256 chainId);

    /// @notice The token debited more from this split than the transferred amount, so held amounts are not covered.
    /// @param balance the remaining balance, in atomic units
    /// @param totalHeld the required balance, in atomic units
    error HeldUnbacked(uint256 balance, uint256 totalHeld);

    /// @notice Pays out the whole balance that is not held.
    /// @dev If the payout of a token to a recipient fails, its amount is held and the other recipients are still
    /// paid. If no recipient can be paid, the call reverts. A failed payout of the native coin reverts the call.
    ///
    /// A keeper cannot make a valid payout fail by providing little gas. The token's call gets 63/64 of the
    /// remaining gas, and the last 1/64 must suffice to hold the amount. Holding takes 44,000 gas if its storage
    /// slots are zero, so the failed call had 2.8 million gas. If the slots are already written, holding takes
    /// 7,000 gas, so the failed call had 440,000. If the token is behind a proxy, it had half of these amounts.
    /// @param split the terms, exactly as used for the address
    /// @param token the ERC-20 to distribute, or 0xEeee…EEeE for the native coin
    /// @param distributor the recipient of the incentive; zero or this split for no incentive
    function distribute(Split calldata split, address token, address distributor) external nonReentrant {
        bytes32 given = hashSplit(split);
        if (given != splitHash()) revert SplitMismatch(given, splitHash());

        (uint256 balance, uint256 reserved) = _balanceAndHeld(token);
        if (balance <= reserved) revert NothingToDistribute(balance, reserved);
        uint256 amount = balance - reserved;

        // An incentive paid to the split itself would look like another payment, and would be counted twice.
        if (distributor == address(this)) distributor = address(0);

        emit SplitDistributed({ token: token, distributor: distributor, amount: amount });

        uint256 pot = amount - _payIncentive(split, token, distributor, amount);
        _payRecipients(split, token, pot);
        _requireHeldBacked(token);
    }

    /// @notice Pays a recipient the whole amount held for them; any account may call it.
    /// @param token the ERC-20; the native coin is never held
    /// @param recipient the account to pay
    /// @return amount the amount paid, in atomic units
    function release(address token, address recipient) external nonReentrant returns (uint256 amount) {
        amount = held[token][recipient];
        if (amount == 0) revert NothingHeld();

        held[token][recipient] = 0;
        totalHeld[token] -= amount;
        emit PayoutReleased({ token: token, recipient: recipient, amount: amount });

        if (!_tryPay(token, recipient, amount)) revert ReleaseFailed();
        _requireHeldBacked(token);
    }

    /// @notice Returns the amount that `distribute` would distribute now: the balance minus held amounts.
    /// @param token the ERC-20, or 0xEeee…EEeE for the native coin
    /// @return the amount, in atomic units
    function distributable(address token) external view returns (uint256) {
        (uint256 balance, uint256 reserved) = _balanceAndHeld(token);
        return balance > reserved ? balance - reserved : 0;
    }

    /// @notice Returns the hash of the terms that this address commits to. Only meaningful for a split, not for
    /// this implementation itself.
    /// @return keccak256 of the terms' ABI encoding
    function splitHash() public view returns (bytes32) {
        return committedSplitHash();
    }

    /// @dev Pays the distributor the incentive, rounded down.
    /// @param split the terms
    /// @param token the ERC-20, or 0xEeee…EEeE for the native coin
    /// @param distributor the recipient of the incentive; zero for none
    /// @param amount the whole distributed amount, in atomic units
    /// @return incentive the amount paid, in atomic units
    function _payIncentive(Split calldata split, address token, address distributor, uint256 amount)
        private
        returns (uint256 incentive)
    {
        if (distributor == address(0)) return 0;
        incentive = (amount * split.distributionIncentive) / TOTAL_ALLOCATION;
        if (incentive == 0) return 0;
        if (!_tryPay(token, distributor, incentive)) revert IncentiveTransferFailed();
    }

    /// @dev Pays or holds each recipient's share of `pot`, rounded down. The first recipient gets the remainder,
    /// which is never zero.
    /// @param split the terms
    /// @param token the ERC-20, or 0xEeee…EEeE for the native coin
    /// @param pot the amount after the incentive, in atomic units
    function _payRecipients(Split calldata split, address token, uint256 pot) private {
        uint256 rest = pot;
        bool isAnyonePaid = false;
        for (uint256 i = 1; i < split.recipients.length; i++) {
            uint256 share = (pot * split.allocations[i]) / TOTAL_ALLOCATION;
            if (share == 0) continue;
            rest -= share;
            if (_payOrHold(token, split.recipients[i], share)) isAnyonePaid = true;
        }
        if (_payOrHold(token, split.recipients[0], rest)) isAnyonePaid = true;
        if (!isAnyonePaid) revert AllPayoutsFailed();
    }

    /// @dev Pays a share, or holds it if the payout of a token fails. If a payout of the native coin fails, the
    /// distribution reverts, because on some chains a token reports the native balance as its own, and the same
    /// amount must not be held twice.
    /// @param token the ERC-20, or 0xEeee…EEeE for the native coin
    /// @param recipient the account to pay
    /// @param amount their share, in atomic units
    /// @return isPaid whether the recipient was paid; if not, the amount is held
    function _payOrHold(address token, address recipient, uint256 amount) private returns (bool isPaid) {
        isPaid = _tryPay(token, recipient, amount);
        if (isPaid) return true;
        if (token == NATIVE_COIN) revert NativePayoutFailed(recipient, amount);

        held[token][recipient] += amount;
        totalHeld[token] += amount;
        emit PayoutHeld({ token: token, recipient: recipient, amount: amount });
    }

    /// @dev Sends the amount without copying a recipient's return data. For a token, only `true` or empty return
    /// data counts as a payment.
    /// @param token the ERC-20, or 0xEeee…EEeE for the native coin
    /// @param to the account to pay
    /// @param amount the amount to pay, in atomic units
    /// @return isPaid whether the account was paid
    function _tryPay(address token, address to, uint256 amount) private returns (bool isPaid) {
        if (token == NATIVE_COIN) return LowLevelCall.callNoReturn(to, amount, "");
        return SafeERC20.trySafeTransfer(IERC20(token), to, amount);
    }

    /// @dev Reverts if the balance does not cover the held amounts, because a token might debit more than the
    /// transferred amount, or move money and report a failure.
    /// @param token the ERC-20, or 0xEeee…EEeE for the native coin, which is never held
    function _requireHeldBacked(address token) private view {
        uint256 reserved = totalHeld[token];
        if (reserved == 0) return;
        uint256 balance = IERC20(token).balanceOf(address(this));
        if (balance < reserved) revert HeldUnbacked({ balance: balance, totalHeld: reserved });
    }

    /// @dev Returns the balance of the token, and the part of it that is held.
    /// @param token the ERC-20, or 0xEeee…EEeE for the native coin, which is never held
    /// @return balance the split's balance, in atomic units
    /// @return reserved the held part of the balance, in atomic units
    function _balanceAndHeld(address token) private view returns (uint256 balance, uint256 reserved) {
        if (token != NATIVE_COIN) return (IERC20(token).balanceOf(address(this)), totalHeld[token]);

        // On Arc the native balance is also the balance of a token, of which a part might be held.
        if (block.chainid == ARC || block.chainid == ARC_TESTNET) revert NativeUnsupported(block.chainid);
        return (address(this).balance, 0);
    }
}
