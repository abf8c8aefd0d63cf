// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Split, TOTAL_ALLOCATION, hashSplit } from "./Split.sol";
import { Clones } from "@openzeppelin/contracts/proxy/Clones.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title PaymentSplit
/// @notice The address a charge is paid to. Anyone may distribute what arrived, and only ever to the recipients
/// that the address commits to; nobody owns it, nothing in it can be changed.
/// @dev Runs as an ERC-1167 clone whose code ends with the 32-byte hash of its `Split`. The ERC-20 side of
/// 0xSplits v2.2 (`distribute`, `SplitDistributed`) is kept to the byte, so that keepers' code is the same.
/// A recipient who cannot be paid blocks nobody: their share is held here and anyone can release it later.
contract PaymentSplit is ReentrancyGuardTransient {
    /// @dev Stands for the native coin in 0xSplits, and in most routers.
    address private constant NATIVE_TOKEN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @notice What is held for a recipient whose payout failed, in the token's atomic units.
    mapping(address token => mapping(address recipient => uint256 amount)) public held;

    /// @notice The sum of `held` over all recipients, in the token's atomic units.
    mapping(address token => uint256 amount) public totalHeld;

    /// @notice The whole distributable amount was distributed.
    /// @param amount gross: payouts, held payouts and the distributor's incentive, in atomic units
    event SplitDistributed(address indexed token, address indexed distributor, uint256 amount);

    /// @notice A payout failed; its amount stays here for the recipient.
    event PayoutHeld(address indexed token, address indexed recipient, uint256 amount);

    /// @notice All that was held for the recipient was paid to them.
    event PayoutReleased(address indexed token, address indexed recipient, uint256 amount);

    /// @notice The given terms are not the ones this address commits to.
    error SplitMismatch();
    /// @notice Everything that arrived is distributed or held already.
    error NothingToDistribute();
    /// @notice Not one recipient could be paid: the token is paused, say, or this split is blocked.
    error AllPayoutsFailed();
    /// @notice The distributor cannot receive the token.
    error IncentiveTransferFailed();
    /// @notice Nothing is held for this recipient in this token.
    error NothingHeld();
    /// @notice The recipient still cannot be paid.
    error ReleaseFailed();
    /// @notice The native coin is never split. On Arc it is the same balance as USDC, which is.
    error NativeUnsupported();
    /// @notice The token took more from this split than it was told to transfer, at the cost of what is held.
    error HeldUnbacked(uint256 balance, uint256 totalHeld);

    /// @notice Refuses the native coin.
    receive() external payable {
        revert NativeUnsupported();
    }

    /// @notice Pays out everything that arrived and is not held.
    /// @dev A payout that fails is held, all others are made. If none succeeds, nothing happened.
    ///
    /// A keeper cannot make a good payout fail by giving little gas: a call gets 63/64 of what is left, and the
    /// rest must do for holding. That takes 44,000 gas when its slots are fresh, so the failed call had 2.8
    /// million; 7,000 and 440,000 when all were written before. (Half of that behind a token's proxy.)
    /// @param split the terms, exactly as the address was made of them
    /// @param token the ERC-20 to distribute
    /// @param distributor who gets the incentive; zero: nobody, the recipients share it
    function distribute(Split calldata split, address token, address distributor) external nonReentrant {
        // Check that the terms are the ones that were promised.
        if (hashSplit(split) != splitHash()) revert SplitMismatch();

        // Check that there is something to distribute.
        uint256 amount = distributable(token);
        if (amount == 0) revert NothingToDistribute();

        emit SplitDistributed({ token: token, distributor: distributor, amount: amount });

        uint256 pot = amount - _payIncentive(split, token, distributor, amount);
        _payRecipients(split, token, pot);
        _requireHeldBacked(token);
    }

    /// @notice Pays a recipient all that is held for them; anyone may call it.
    /// @return amount what was paid, in atomic units
    function release(address token, address recipient) external nonReentrant returns (uint256 amount) {
        // Check that something is held.
        amount = held[token][recipient];
        if (amount == 0) revert NothingHeld();

        held[token][recipient] = 0;
        totalHeld[token] -= amount;
        emit PayoutReleased({ token: token, recipient: recipient, amount: amount });

        if (!SafeERC20.trySafeTransfer(IERC20(token), recipient, amount)) revert ReleaseFailed();
        _requireHeldBacked(token);
    }

    /// @notice What `distribute` would distribute now, in atomic units: the balance without what is held.
    function distributable(address token) public view returns (uint256) {
        // Check that it is a token at all.
        if (token == address(0) || token == NATIVE_TOKEN) revert NativeUnsupported();

        uint256 balance = IERC20(token).balanceOf(address(this));
        uint256 reserved = totalHeld[token];
        return balance > reserved ? balance - reserved : 0;
    }

    /// @notice The hash of the terms this address commits to. Meaningful on clones only.
    function splitHash() public view returns (bytes32) {
        return abi.decode(Clones.fetchCloneArgs(address(this)), (bytes32));
    }

    /// @dev Pays the distributor their part of `amount`, rounded down.
    function _payIncentive(Split calldata split, address token, address distributor, uint256 amount)
        private
        returns (uint256 incentive)
    {
        if (distributor == address(0)) return 0;
        incentive = (amount * split.distributionIncentive) / TOTAL_ALLOCATION;
        if (incentive == 0) return 0;
        if (!SafeERC20.trySafeTransfer(IERC20(token), distributor, incentive)) {
            revert IncentiveTransferFailed();
        }
    }

    /// @dev Pays or holds `pot`: everyone's part rounded down, and the rest, never zero, to the first.
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

    /// @dev Returns whether the recipient was paid; if not, the amount is held for them.
    function _payOrHold(address token, address recipient, uint256 amount) private returns (bool isPaid) {
        isPaid = SafeERC20.trySafeTransfer(IERC20(token), recipient, amount);
        if (isPaid) return true;

        held[token][recipient] += amount;
        totalHeld[token] += amount;
        emit PayoutHeld({ token: token, recipient: recipient, amount: amount });
    }

    /// @dev Measures rather than trusts: a token that debits more than it is told, or moves money and reports
    /// failure, may not spend what belongs to a held recipient.
    function _requireHeldBacked(address token) private view {
        uint256 reserved = totalHeld[token];
        if (reserved == 0) return;
        uint256 balance = IERC20(token).balanceOf(address(this));
        if (balance < reserved) revert HeldUnbacked({ balance: balance, totalHeld: reserved });
    }
}
