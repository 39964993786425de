#include "emitter/files/mailbox_patch.h"

#include <gtest/gtest.h>

namespace rewrought::emitter {
namespace {

TEST(MailboxPatch, NumbersThePatchesOfASeries) {
  const MailboxPatch alone{"nir: a", "Why.", "diff --git a/x b/x\n"};
  EXPECT_EQ(MailboxText(alone),
            "From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\n"
            "From: Rewrought <rewrought@localhost>\nDate: Thu, 1 Jan 1970 00:00:00 +0000\n"
            "Subject: [PATCH] nir: a\n\nWhy.\n---\ndiff --git a/x b/x\n-- \n2.0\n");
  MailboxPatch second = alone;
  second.number = 2, second.of = 3;
  EXPECT_NE(MailboxText(second).find("\nSubject: [PATCH 2/3] nir: a\n"), std::string::npos);
}

TEST(MailboxPatch, FileNamesHaveOnlyPlainCharacters) {
  EXPECT_EQ(MailboxFileName({"nir/opt_algebraic: fix (a -> ../b).", "", "", 12, 20}),
            "0012-nir-opt_algebraic-fix-a-..-b.patch");
  const std::string longest = "nir/opt_algebraic: a subject that is much longer than a file name should be";
  EXPECT_EQ(MailboxFileName({longest, "", ""}), "0001-nir-opt_algebraic-a-subject-that-is-much-longer-than.patch");
}

}  // namespace
}  // namespace rewrought::emitter
