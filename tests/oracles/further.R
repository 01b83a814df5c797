# Makes further.json: Rscript tests/oracles/further.R, from the root of the repository. Tests do not need it.
#
# Every case is made by the R expression that its `source.call` records, evaluated with the parts of its input as
# variables; `M` is the matrix of its table or file. Helpers that several calls use stand first and are named there.

suppressMessages({library(coin); library(multcomp); library(car); library(ROCR); library(mvtnorm); library(jsonlite)})
options(digits = 15, warn = -1)
here <- "tests/oracles"
cases <- list()

long <- function(M) data.frame(y = c(M), alg = factor(rep(colnames(M), each = nrow(M)), levels = colnames(M)),
                               b = factor(rep(seq_len(nrow(M)), ncol(M))))
named <- function(M) { if (is.null(colnames(M))) colnames(M) <- paste0("a", seq_len(ncol(M))); M }
matrix_of <- function(input) {
  M <- if (!is.null(input$file)) {
    whole <- read.csv(file.path(here, input$file), check.names = FALSE)
    as.matrix(if (is.null(input$columns)) whole[sapply(whole, is.numeric)] else whole[unlist(input$columns)])
  } else {
    M <- do.call(rbind, lapply(input$table, unlist))
    if (!is.null(input$columns)) colnames(M) <- unlist(input$columns)
    M
  }
  named(M)
}
words <- function(x) {  # JSON has no NaN and no infinity
  if (is.list(x)) return(lapply(x, words))
  if (is.numeric(x) && any(!is.finite(x))) {
    said <- lapply(x, function(v) if (is.nan(v)) "NaN" else if (is.na(v)) "NA" else if (v == Inf) "Inf" else if (v == -Inf) "-Inf" else v)
    return(if (length(x) == 1) said[[1]] else said)
  }
  x
}
versions <- function(packages) paste(c("R 4.2.2", vapply(packages, function(p) paste(p, packageVersion(p)), "")), collapse = "; ")

add <- function(id, procedure, input, call, options = list(), packages = character(), kind = "software",
                rel = 1e-8, abs = 1e-10, note = NULL) {
  scope <- list2env(lapply(input, function(part) if (is.list(part) && is.null(names(part)) && !is.list(part[[1]])) unlist(part) else part), parent = globalenv())
  if (!is.null(input$table) || !is.null(input$file)) assign("M", matrix_of(input), scope)
  for (name in names(options)) assign(name, options[[name]], scope)
  expected <- eval(parse(text = call), scope)
  made <- list(id = id, procedure = procedure, input = words(input), options = words(options),
               expected = words(expected), tolerance = list(rel = rel, abs = abs),
               source = list(software = versions(packages), call = gsub("\\s*\n\\s*", " ", trimws(call)), kind = kind))
  if (length(options) == 0) made$options <- setNames(list(), character())
  if (!is.null(note)) made$note <- note
  cases[[length(cases) + 1]] <<- made
}
l <- function(...) as.list(c(...))
rows <- function(M) lapply(seq_len(nrow(M)), function(i) unname(as.list(M[i, ])))

# --- tables that several cases use
A5 <- matrix(c(
  .1873, .2004, .2092, .2040, .2147, .1994, .2139, .2450, .2007, .1988, .2126, .2086, .1898, .2067, .2059, .2011,
  .2213, .2087, .2362, .2313, .1938, .2058, .1902, .2154, .2064, .2149, .2528, .2379, .2029, .2140, .1771, .2171),
  ncol = 4, byrow = TRUE)
TIED <- matrix(c(1, 2, 2, 4, 3, 3, 5, 1, 2, 2, 2, 6, 4, 1, 4, 5, 0, 3, 3, 3), ncol = 4, byrow = TRUE)
names4 <- l("a1", "a2", "a3", "a4")

# --- analysis of variance
tukey <- function(M, df, conf) {  # aligned values as independent samples; df and MS as asked
  AL <- M - rowMeans(M); k <- ncol(M); B <- nrow(M); m <- colMeans(AL)
  ms <- sum(sweep(AL, 2, m)^2) / (if (is.finite(df)) df else k * (B - 1))
  pr <- combn(k, 2); d <- m[pr[2, ]] - m[pr[1, ]]; h <- qtukey(conf, k, df) * sqrt(ms / B)
  list(pair = paste(colnames(M)[pr[2, ]], colnames(M)[pr[1, ]], sep = "-"), difference = unname(d), lower = unname(d - h), upper = unname(d + h))
}
boston <- "data/hothorn_boston_oob_rf.csv"
for (df in c("independent-samples df K(B-1)", "(K-1)(B-1)", "Inf"))
  add(paste0("further-aligned-tukey-", substr(df, 1, 3)), "aligned_tukey", list(file = boston),
      sprintf("tukey(M, %s, conf)", c(i = "ncol(M) * (nrow(M) - 1)", "(" = "(ncol(M) - 1) * (nrow(M) - 1)", I = "Inf")[[substr(df, 1, 1)]]),
      list(conf = .95, df = df), kind = "formula", rel = 1e-7)
add("further-aligned-tukey-hsd", "aligned_tukey", list(file = "data/gh2010.csv"),
    "{ t <- TukeyHSD(aov(y ~ alg, long(M - rowMeans(M))), conf.level = conf)$alg
       list(pair = rownames(t), difference = unname(t[, 1]), lower = unname(t[, 2]), upper = unname(t[, 3])) }",
    list(conf = .9, df = "independent-samples df L(B-1)"), rel = 1e-7)
one_way <- "{ y <- unlist(groups); g <- factor(rep(seq_along(groups), lengths(groups))); s <- summary(aov(y ~ g))[[1]]
  list(ss_between = s[1, 2], ss_within = s[2, 2], ss_total = sum(s[, 2]), df_between = s[1, 1], df_within = s[2, 1],
       ms_between = s[1, 3], ms_within = s[2, 3], F = s[1, 4], p_value = s[1, 5]) }"
add("further-anova1-unequal", "anova_oneway", list(groups = list(l(.21, .24, .19, .22), l(.25, .27, .26, .24, .28), l(.22, .2, .23))), one_way)
add("further-anova1-named", "anova_oneway", list(groups = list(tree = l(1, 2, 4), knn = l(2, 2), lda = l(5, 9, 7, 7))), one_way)
rm_anova <- "{ D <- long(M); s <- summary(aov(y ~ alg + Error(b/alg), D)); e <- s[[2]][[1]]
  fit <- lm(M ~ 1); id <- data.frame(alg = factor(colnames(M), levels = colnames(M)))
  u <- summary(Anova(fit, idata = id, idesign = ~alg, type = 3), multivariate = FALSE)
  mt <- mauchly.test(fit, X = ~1, idata = id)
  list(ss_algorithm = e[1, 2], df_algorithm = e[1, 1], ss_error = e[2, 2], df_error = e[2, 1], ms_error = e[2, 3],
       ss_block = s[[1]][[1]][1, 2], df_block = s[[1]][[1]][1, 1], F = e[1, 4], p_value = e[1, 5],
       mauchly_W = unname(mt$statistic), mauchly_p = mt$p.value, gg_epsilon = u$pval.adjustments[1, 1],
       gg_p = u$pval.adjustments[1, 2], hf_epsilon = u$pval.adjustments[1, 3], hf_p = u$pval.adjustments[1, 4]) }"
add("further-rm-anova-demsar", "anova_repeated_measures", list(file = "data/demsar2006.csv"), rm_anova, packages = "car", rel = 1e-6)
add("further-rm-anova-boston", "anova_repeated_measures", list(file = boston), rm_anova, packages = "car", rel = 1e-6)
add("further-rm-anova-columns", "anova_repeated_measures", list(file = "data/gh2010.csv", columns = l("PDFC", "FH_GBML", "NNEP")), rm_anova, packages = "car", rel = 1e-6)
SPHERE <- matrix(c(0, 1.7, 1.6, .1, .1, 1.9, -1, 1.9, 1.7, .1, -.6, .1, -.1, -.6, 1.4, -.4, -1.3, 2.2, 1.8, 3, 2.4, .6, .4, -1.1), ncol = 3, byrow = TRUE)
add("further-rm-anova-hf-above-1", "anova_repeated_measures", list(table = rows(SPHERE)), rm_anova, packages = "car", rel = 1e-6, note = "car prints Huynh and Feldt's epsilon as it is, and takes it as 1 for p")
two_way <- "{ s <- summary(aov(%s, D))[[1]]; rownames(s) <- trimws(rownames(s))
  sapply(rownames(s), function(r) list(ss = s[r, 2], df = s[r, 1], ms = s[r, 3], F = if (is.na(s[r, 4])) NULL else s[r, 4],
         p_value = if (is.na(s[r, 5])) NULL else s[r, 5]), simplify = FALSE) }"
two <- list(a = l("p", "p", "p", "p", "q", "q", "q", "q"), b = l("u", "u", "v", "v", "u", "u", "v", "v"), y = l(1, 2, 4, 4.5, 3, 3.5, 9, 7))
for (interaction in c(TRUE, FALSE))
  add(paste0("further-anova2-", interaction), "anova_twoway", two,
      paste0("{ D <- data.frame(y, a = factor(a), b = factor(b)); ", sprintf(two_way, if (interaction) "y ~ a * b" else "y ~ a + b"), " }"), list(interaction = interaction))
add("further-anova2-table", "anova_twoway", list(table = rows(A5)),
    paste0("{ D <- setNames(long(M), c('y', 'alg', 'fold')); ", sprintf(two_way, "y ~ alg + fold"), " }"), list(factors = l("alg", "fold"), interaction = FALSE))
dunnett <- "{ g <- glht(aov(y ~ alg, transform(long(M), alg = relevel(alg, control))), linfct = mcp(alg = 'Dunnett'))
  set.seed(1); s <- summary(g, test = adjusted('single-step', abseps = 1e-7, maxpts = 1e6))$test
  q <- qmvt(conf, tail = 'both.tails', df = g$df, corr = cov2cor(vcov(g)), algorithm = GenzBretz(maxpts = 1e6, abseps = 1e-8))$quantile
  e <- unname(s$coefficients); h <- unname(q * s$sigma)
  list(contrast = names(s$coefficients), estimate = e, t = unname(s$tstat), p_adj = as.vector(s$pvalues), lower = e - h, upper = e + h, critical = q) }"
add("further-dunnett-first", "maxt_vs_control", list(table = rows(A5), columns = names4), dunnett, list(conf = .95, control = "a1"), packages = c("multcomp", "mvtnorm"), rel = 2e-3, abs = 1e-4)
add("further-dunnett-third", "maxt_vs_control", list(table = rows(A5), columns = names4), dunnett, list(conf = .9, control = "a3"), packages = c("multcomp", "mvtnorm"), rel = 2e-3, abs = 1e-4)
lsd <- "{ a <- summary(aov(y ~ alg, long(M)))[[1]]; ms <- a[2, 3]; df <- a[2, 1]; t <- qt(1 - alpha/2, df); n <- nrow(M)
  pr <- combn(ncol(M), 2); d <- unname(colMeans(M)[pr[1, ]] - colMeans(M)[pr[2, ]]); h <- t * sqrt(2 * ms/n)
  p <- pairwise.t.test(long(M)$y, long(M)$alg, p.adjust.method = 'none')$p.value
  list(comparison = paste(colnames(M)[pr[1, ]], '-', colnames(M)[pr[2, ]]), difference = d, p_value = p[lower.tri(p, diag = TRUE)],
       lower = d - h, upper = d + h, lsd = h, ms_within = ms, df = df, t_critical = t) }"
add("further-lsd", "fisher_lsd", list(table = rows(A5), columns = names4), lsd, list(alpha = .05), note = "agricolae::LSD.test(group = FALSE) reads pairs in this direction")
add("further-lsd-10", "fisher_lsd", list(table = rows(TIED), columns = l("w", "x", "y", "z")), lsd, list(alpha = .1))

# --- ranks
ranks <- function(M, larger) t(apply(if (larger) -M else M, 1, rank))
friedman_R <- "{ R <- ranks(M, higher_is_better); N <- nrow(R); k <- ncol(R); x <- 12 * N/(k * (k + 1)) * sum((colMeans(R) - (k + 1)/2)^2)
  F <- (N - 1) * x/(N * (k - 1) - x); f <- friedman.test(R)
  list(mean_ranks = unname(colMeans(R)), chi2_no_tie_correction = x, p_chi2 = pchisq(x, k - 1, lower.tail = FALSE), F_F = F, df1 = k - 1,
       df2 = (k - 1) * (N - 1), p_F = pf(F, k - 1, (k - 1) * (N - 1), lower.tail = FALSE), chi2_tie_corrected = unname(f$statistic), p_tie_corrected = f$p.value) }"
riddle <- l("c45_error", "randomized_error", "bagged_error", "adaboost_error")
add("further-friedman-riddle", "friedman", list(file = "data/riddle_c45.csv", columns = riddle, higher_is_better = FALSE), friedman_R)
add("further-friedman-demsar-3", "friedman", list(file = "data/demsar2006.csv", columns = l("C4.5", "C4.5+m", "C4.5+cf"), higher_is_better = TRUE), friedman_R)
HOLES <- TIED; HOLES[2, 3] <- NA; HOLES[5, 1] <- NA
add("further-friedman-holes", "friedman", list(table = rows(rbind(HOLES, A5 * 10))),
    "{ X <- M[complete.cases(M), ]; list(chi2_tie_corrected = unname(friedman.test(M)$statistic), n_blocks = nrow(X)) }", list(nan_policy = "omit"))
exact_friedman <- "{ k <- ncol(M); P <- as.matrix(expand.grid(rep(list(1:k), k))); P <- P[apply(P, 1, function(p) all(tabulate(p, k) == 1)), ]
  R <- ranks(M, FALSE); sums <- matrix(0, 1, k)
  for (i in seq_len(nrow(R))) sums <- do.call(rbind, lapply(seq_len(nrow(P)), function(j) sweep(sums, 2, R[i, P[j, ]], '+')))
  s <- rowSums((sums - mean(sums))^2); list(chi2 = unname(friedman.test(M)$statistic), p_exact = mean(s >= sum((colSums(R) - mean(colSums(R)))^2) - 1e-9)) }"
add("further-friedman-exact", "friedman_exact", list(table = list(l(1.1, 2.3, 1.9), l(.4, .9, .8), l(3, 2, 4), l(1, 2, 3), l(5, 6, 7))), exact_friedman, list(method = "exact"), kind = "enumeration")
add("further-friedman-exact-ties", "friedman_exact", list(table = list(l(1, 1, 2), l(1, 2, 3), l(2, 2, 2), l(1, 3, 3), l(1, 2, 3))), exact_friedman, list(method = "exact (all orders within blocks)"), kind = "enumeration")
iman <- "{ R <- ranks(M, TRUE); N <- nrow(R); k <- ncol(R); x <- 12 * N/(k * (k + 1)) * sum((colMeans(R) - (k + 1)/2)^2); F <- (N - 1) * x/(N * (k - 1) - x)
  list(F = F, p_value = pf(F, k - 1, (k - 1) * (N - 1), lower.tail = FALSE)) }"
quade_R <- "{ q <- quade.test(M); list(F = unname(q$statistic), df1 = unname(q$parameter[1]), df2 = unname(q$parameter[2]), p_value = q$p.value) }"
for (set in c("gh2008", "gh2010")) {
  add(paste0("further-iman-davenport-", set), "iman_davenport", list(file = sprintf("data/%s.csv", set)), iman, kind = "formula", note = "as scmamp::imanDavenportTest")
  add(paste0("further-quade-", set), "quade", list(file = sprintf("data/%s.csv", set)), sub("quade.test(M)", "quade.test(round(M, 10))", quade_R, fixed = TRUE))
}
kw <- "{ y <- c(M); k <- ncol(M); n <- nrow(M); R <- matrix(rank(y), n); N <- n * k; H <- 12/((N + 1) * k) * sum((colMeans(R) - (N + 1)/2)^2)
  t <- kruskal.test(as.list(as.data.frame(M))); %s }"
add("further-kw-seed-formula", "kruskal_wallis", list(table = rows(A5)), sprintf(kw, "list(statistic = unname(t$statistic), H_seed_formula = H, df = unname(t$parameter), p_value = t$p.value)"))
add("further-kw-ties", "kruskal_wallis", list(table = rows(TIED)), sprintf(kw, "list(statistic = unname(t$statistic), H_uncorrected = H, df = unname(t$parameter), p_value = t$p.value)"), list(tie_correction = TRUE))
add("further-kw-ties-uncorrected", "kruskal_wallis", list(table = rows(TIED)), sprintf(kw, "list(statistic = H, H_uncorrected = H, df = k - 1, p_value = pchisq(H, k - 1, lower.tail = FALSE))"), list(tie_correction = FALSE), kind = "formula")
wsr <- "{ n0 <- sum(d == 0); if (n0 %% 2) d <- d[-which(d == 0)[1]]; r <- rank(abs(d)); half <- sum(r[d == 0])/2; rp <- sum(r[d > 0]) + half; rm <- sum(r[d < 0]) + half
  n <- length(d); T <- min(rp, rm); z <- (T - n * (n + 1)/4)/sqrt(n * (n + 1) * (2 * n + 1)/24)
  list(r_plus = rp, r_minus = rm, T = T, n = n, z = z, p_value = 2 * pnorm(-abs(z))) }"
split_d <- list(two = l(0, 0, .3, -.1, .2, .5, -.4, .6), three = l(0, 0, 0, 3, -1, 2, 5, -4, 6, 6), none = l(.3, -.1, .2, .5, -.4))
for (name in names(split_d)) add(paste0("further-wsr-split-", name), "wilcoxon_signed_rank", list(d = split_d[[name]]), wsr, list(zero_method = "split (odd one dropped)", method = "normal (formula of seed 003)"), kind = "formula")
exact_wsr <- "{ d <- d[d != 0]; r <- rank(abs(d)); s <- as.matrix(expand.grid(rep(list(0:1), length(d)))) %*% r; w <- sum(r[d > 0])
  list(r_plus = w, r_minus = sum(r) - w, p_value = min(1, 2 * min(mean(s >= w - 1e-9), mean(s <= w + 1e-9)))) }"
add("further-wsr-dropped", "wilcoxon_signed_rank", list(d = l(0, 0, 0, 3, -1, 2, 5, -4, 6, 6)), exact_wsr, list(zero_method = "wilcox"), kind = "enumeration")
add("further-wsr-all-zero", "wilcoxon_signed_rank", list(d = l(0, 0, 0, 0)), "list(r_plus = 5, r_minus = 5, p_value = 1)", list(zero_method = "split (odd one dropped)"), kind = "definition")
add("further-wsr-pratt", "wilcoxon_signed_rank", list(d = l(0, 0, 0, 3, -1, 2, 5, -4, 6, 6)),
    "{ t <- coin::wilcoxsign_test(d ~ rep(0, length(d)), zero.method = 'Pratt', distribution = 'exact'); r <- rank(abs(d))
       list(r_plus = sum(r[d > 0]), r_minus = sum(r[d < 0]), z = unname(statistic(t)), p_value = as.vector(pvalue(t))) }", list(zero_method = "Pratt", method = "exact"), packages = "coin")

# --- permutations
quad <- function(M) { D <- long(M); t <- coin::symmetry_test(y ~ alg | b, data = D, teststat = "quadratic"); c(statistic(t), pvalue(t)) }
closed <- "{ pr <- combn(ncol(M), 2); raw <- apply(pr, 2, function(p) quad(M[, p])[2]); sets <- unlist(lapply(2:ncol(M), function(s) combn(ncol(M), s, simplify = FALSE)), recursive = FALSE)
  ps <- sapply(sets, function(s) quad(M[, s])[2]); list(i = pr[1, ], j = pr[2, ], p_raw = raw, p_global = quad(M)[2],
  p_closed = apply(pr, 2, function(p) max(ps[sapply(sets, function(s) all(p %in% s))]))) }"
add("further-closed-demsar", "closed_testing", list(file = "data/demsar2006.csv", columns = l("C4.5", "C4.5+m", "C4.5+m+cf")), closed, list(test = "asymptotic permutation chi2 (coin quadratic form) on each subset"), packages = "coin", rel = 1e-6)
add("further-closed-gh2010", "closed_testing", list(file = "data/gh2010.csv", columns = l("PDFC", "NNEP", "FH_GBML")), closed, list(test = "asymptotic permutation chi2"), packages = "coin", rel = 1e-6)
tstar_R <- "{ B <- nrow(M); k <- ncol(M); ssb <- sum((colMeans(M) - mean(M))^2); sse <- sum((M - outer(rowMeans(M), colMeans(M), '+') + mean(M))^2); t <- ssb/sse
  q <- quad(M); list(t_star = t, F_rm_anova = B * (B - 1) * t, chi2 = q[1], p_asymptotic = q[2]) }"
add("further-tstar-demsar", "tstar", list(file = "data/demsar2006.csv", columns = l("C4.5", "C4.5+m", "C4.5+m+cf")), tstar_R, packages = "coin", rel = 1e-7)
add("further-tstar-riddle", "tstar", list(file = "data/riddle_c45.csv", columns = riddle), tstar_R, packages = "coin", rel = 1e-7)
add("further-tstar-p", "tstar", list(table = list(l(3, 2, 8), l(1, 6, 9), l(4, 5, 7), l(1, 3, 9))),
    "{ P <- rbind(1:3, c(1, 3, 2), c(2, 1, 3), c(2, 3, 1), c(3, 1, 2), 3:1); sums <- matrix(0, 1, 3)
       for (i in 1:4) sums <- do.call(rbind, lapply(1:6, function(j) sweep(sums, 2, M[i, P[j, ]], '+')))
       s <- rowSums((sums - mean(sums))^2); B <- 4; ssb <- sum((colMeans(M) - mean(M))^2); sse <- sum((M - outer(rowMeans(M), colMeans(M), '+') + mean(M))^2)
       list(t_star = ssb/sse, p_value = mean(s >= sum((colSums(M) - mean(colSums(M)))^2) - 1e-9)) }", kind = "enumeration")
add("further-tstar-alike", "tstar", list(table = list(l(1, 1, 1), l(2, 2, 2), l(4, 4, 4))), "list(t_star = NaN, p_value = 1)", kind = "convention", note = "0/0")
ksample <- "{ t <- coin::oneway_test(y ~ alg, data = long(M)); list(chi2 = unname(statistic(t)), df = ncol(M) - 1, p_value = as.vector(pvalue(t))) }"
add("further-ksample-asymptotic", "permutation_k_sample", list(table = rows(A5)), ksample, list(method = "asymptotic", statistic = "quadratic form"), packages = "coin")
add("further-ksample-ties", "permutation_k_sample", list(table = rows(TIED)), ksample, list(method = "asymptotic", statistic = "quadratic"), packages = "coin")
add("further-ksample-exact", "permutation_k_sample", list(table = list(l(1, 2, 9), l(2, 4, 8), l(3, 6, 7))),
    "{ y <- c(M); s0 <- sum(colSums(M)^2); n <- e <- 0; A <- combn(9, 3)
       for (i in 1:84) { r <- setdiff(1:9, A[, i]); C <- combn(r, 3); for (j in 1:20) { n <- n + 1; e <- e + (sum(y[A[, i]])^2 + sum(y[C[, j]])^2 + sum(y[setdiff(r, C[, j])])^2 >= s0 - 1e-9) } }
       list(chi2 = unname(statistic(coin::oneway_test(y ~ alg, data = long(M)))), df = 2, p_value = e/n) }", list(method = "exact", statistic = "quadratic"), packages = "coin", kind = "enumeration")

# --- rates, means, families
q_R <- "{ k <- ncol(M); n <- nrow(M); s <- rowSums(M); C <- colSums(M); Q <- (k - 1) * (k * sum(C^2) - sum(C)^2)/(k * sum(s) - sum(s^2)); v <- 2 * (k * sum(s) - sum(s^2))/(n^2 * k * (k - 1))
  list(Q = Q, df = k - 1, p_value = pchisq(Q, k - 1, lower.tail = FALSE), sigma_diff_sq = v, sigma_diff = sqrt(v)%s) }"
mcn <- ", mcnemar_chi2 = unname(mcnemar.test(table(M[, 1], M[, 2]), correct = FALSE)$statistic)"
set.seed(3); B3 <- matrix(rbinom(60, 1, .7), 20); B2 <- matrix(rbinom(50, 1, .6), 25)
add("further-cochran-two", "cochran_q", list(table = rows(B2)), sprintf(q_R, mcn))
add("further-cochran-three", "cochran_q", list(table = rows(B3)), sprintf(q_R, ""))
kt <- "{ d <- a - b; J <- length(d); rho <- 1/k; t <- mean(d)/sqrt(var(d) * %s); list(statistic = t, df = J - 1, p_value = %s) }"
ab <- list(a = l(.82, .8, .85, .79, .83, .84, .81, .8, .86, .82), b = l(.8, .79, .82, .8, .81, .82, .8, .77, .84, .82), k = 10)
sides <- c(two.sided = "2 * pt(-abs(t), J - 1)", greater = "pt(t, J - 1, lower.tail = FALSE)", less = "pt(t, J - 1)")
for (s in names(sides)) add(paste0("further-corrected-kfold-", s), "corrected_kfold_t", ab, sprintf(kt, "(1/J + rho/(1 - rho))", sides[[s]]), list(alternative = s, rho = "1/k"), kind = "formula")
add("further-corrected-kfold-correctR", "corrected_kfold_t", ab, sprintf(kt, "((1/J + rho)/(1 - rho))", sides[[1]]), list(alternative = "two.sided", rho = "1/k"), kind = "formula", note = "what correctR 0.3.1 computes: kfold_ttest has its bracket in another place")
rk <- list(a = l(.82, .8, .85, .79, .83, .84, .81, .8, .86, .83, .8, .79), b = l(.8, .79, .82, .8, .81, .82, .8, .77, .84, .82, .8, .8), k = 4, r = 3, n_train = 90, n_test = 30)
for (s in names(sides)) add(paste0("further-repeated-kfold-", s), "corrected_repeated_kfold_t", rk, sprintf("{ d <- a - b; J <- k * r; t <- mean(d)/sqrt(var(d) * (1/J + n_test/n_train)); list(statistic = t, df = J - 1, p_value = %s) }", sides[[s]]), list(alternative = s), kind = "formula", note = "as correctR::repkfold_ttest")
add("further-kfold-t", "kfold_paired_t", ab[1:2], "{ t <- t.test(a, b, paired = TRUE, alternative = alternative); list(mean_difference = unname(t$estimate), p_value = t$p.value, correlation = cor(a, b)) }", list(alternative = "less"))
diffs <- list(l(.05, .04), l(.06, -.05), l(.045, .055), l(.052, .048), l(-.061, .047))
add("further-cv52-all", "cv5x2_t_all", list(differences = diffs), "{ D <- do.call(rbind, lapply(differences, unlist)); s2 <- rowSums((D - rowMeans(D))^2); t <- D/sqrt(mean(s2)); list(t_ij = lapply(1:5, function(i) t[i, ]), mean_of_squares = mean(t^2)) }", kind = "formula")
add("further-dunn-table5", "dunn_simultaneous_intervals", list(correct = l(300, 295, 265, 303, 296), n = 384, sigma_diff = .0205, critical = 2.81),
    "{ pr <- combn(5, 2); d <- (correct[pr[1, ]] - correct[pr[2, ]])/n; list(i = pr[1, ], j = pr[2, ], difference = d, lower = d - critical * sigma_diff, upper = d + critical * sigma_diff) }", kind = "formula")
pa <- "sapply(unlist(methods), function(m) p.adjust(p, m, n), simplify = FALSE)"
add("further-padjust-n", "p_adjust", list(p = l(.001, .004, .02, .02, .3), n = 12), pa, list(methods = l("bonferroni", "holm", "hochberg", "hommel", "BH", "BY")))
add("further-padjust-n-na", "p_adjust", list(p = l(.01, NA, 0, .2), n = 6), pa, list(methods = l("bonferroni", "holm", "hochberg", "BH")))
pt <- "{ t <- prop.test(c(x1, x2), c(n1, n2), correct = correction); z <- sign(x1/n1 - x2/n2) * sqrt(unname(t$statistic)); list(chi2 = unname(t$statistic), z = z, p_value = t$p.value) }"
for (correction in c(TRUE, FALSE)) {
  add(paste0("further-prop-test-", correction), "proportion_diff_test", list(x1 = 18, n1 = 120, x2 = 60, n2 = 240), pt, list(pooled = TRUE, correction = correction))
  add(paste0("further-prop-test-small-", correction), "proportion_diff_test", list(x1 = 5, n1 = 10, x2 = 6, n2 = 11), pt, list(pooled = TRUE, correction = correction), abs = 1e-9)
}
ti <- "{ h <- qt(1 - (1 - conf)/%s, n - 1) * sd/sqrt(n); list(lower = %s, upper = %s, df = n - 1) }"
ms <- list(mean = .195, sd = .0159, n = 10, conf = .95)
add("further-t-interval-summary", "t_interval", ms, sprintf(ti, "2", "mean - h", "mean + h"), list(from = "summary statistics", side = "two-sided"), kind = "formula")
add("further-t-interval-upper", "t_interval", ms, sprintf(ti, "1", "-Inf", "mean + h"), list(from = "summary", side = "upper bound"), kind = "formula")
add("further-t-interval-lower", "t_interval", ms, sprintf(ti, "1", "mean - h", "Inf"), list(from = "summary", side = "lower bound"), kind = "formula")

# --- power and quantiles
for (s in 1:2) add(paste0("further-power-prop-", s), "power_prop", list(p1 = .15, p2 = .25, power = .8, sig.level = .05),
    sprintf("{ p <- power.prop.test(p1 = p1, p2 = p2, power = power, sig.level = sig.level, alternative = '%s', tol = 1e-10); list(n_per_group = p$n, n_ceiling = ceiling(p$n)) }", c("one.sided", "two.sided")[s]), list(solve_for = "n", sides = s), rel = 1e-7)
beta <- "{ d <- (mu - mu0)/(sigma/sqrt(N)); b <- %s; list(beta = b, power = 1 - b) }"
zz <- list(N = 25, alpha = .05, mu = .21, mu0 = .2, sigma = .03)
add("further-z-beta-2", "z_type2_error", zz, sprintf(beta, "pnorm(qnorm(1 - alpha/2) - d) - pnorm(-qnorm(1 - alpha/2) - d)"), list(sides = 2), kind = "formula")
add("further-z-beta-1", "z_type2_error", zz, sprintf(beta, "pnorm(qnorm(1 - alpha) - d)"), list(sides = 1), kind = "formula")
add("further-z-beta-several", "z_type2_error", list(N = 25, alpha = .05, mu = l(.2, .21, .19), mu0 = .2, sigma = .03), sprintf(beta, "pnorm(qnorm(1 - alpha/2) - d) - pnorm(-qnorm(1 - alpha/2) - d)"), list(sides = 2), kind = "formula")
smax <- function(k, df, alpha, law) uniroot(function(q) integrate(function(s) law(q * s)^k * exp(log(2) + df/2 * log(df/2) - lgamma(df/2) + (df - 1) * log(s) - df * s^2/2), 0, 10, rel.tol = 1e-12, subdivisions = 2000L)$value - (1 - alpha), c(0, 50), tol = 1e-13)$root
for (s in 1:2) for (k in c(6, 3)) add(sprintf("further-maximum-%d-%d", k, s), "studentized_maximum_quantile", list(k = k, df = 105, alpha = .1),
    sprintf("list(quantile = smax(k, df, alpha, function(x) %s))", c("pnorm(x)", "2 * pnorm(x) - 1")[s]), list(sides = s), kind = "quadrature of the definition")
add("further-range-p", "studentized_range_p", list(q = 3.5, k = 4, df = 20), "list(p = ptukey(q, k, df, lower.tail = FALSE))", rel = 1e-7)
add("further-range-p-lower", "studentized_range_p", list(q = l(2, 3.5, 5), k = 3, df = 12), "list(p = ptukey(q, k, df))", rel = 1e-7)
add("further-range-q", "studentized_range_quantile", list(p = .95, k = l(3, 5, 10), df = 20), "list(q = qtukey(p, k, df))", rel = 1e-6, note = "qtukey is good to 1e-4 of its own; here it agrees better")
add("further-range-q-inf", "studentized_range_quantile", list(p = .9, k = 4, df = Inf), "list(q = qtukey(p, k, df))", rel = 1e-6)

# --- measures, resampling, designs
add("further-632-parts", "bootstrap_632_from_parts", list(apparent = .05, err1 = .2, gamma = .5), "{ R <- (err1 - apparent)/(gamma - apparent); w <- .632/(1 - .368 * R); list(R = R, w = w, e632 = .368 * apparent + .632 * err1, e632plus = (1 - w) * apparent + w * err1) }", kind = "formula")
add("further-632-capped", "bootstrap_632_from_parts", list(apparent = l(.1, .3, .5), err1 = l(.6, .2, .6), gamma = .5),
    "{ e <- pmin(err1, gamma); R <- ifelse(e > apparent, (e - apparent)/(gamma - apparent), 0); w <- .632/(1 - .368 * R); list(R = R, w = w, e632 = .368 * apparent + .632 * err1, e632plus = (1 - w) * apparent + w * e) }", kind = "formula", note = "R is kept in [0, 1], Err1 is bounded by gamma (Efron and Tibshirani 1997)")
add("further-threshold", "decision_threshold", list(alpha = l(.5, 1, 3)), "list(threshold = alpha/(1 + alpha))", kind = "formula")
x10 <- l(.182, .205, .171, .214, .196, .188, .221, .179, .203, .191); modes <- l(1, 1.1, 1.3, 5, 5.2, 5.3, 9)
for (x in list(x10, modes)) add(paste0("further-bandwidth-", length(x)), "density_bandwidth", list(x = x), "list(nrd0 = bw.nrd0(x), nrd = bw.nrd(x), SJ = bw.SJ(x))", list(kernel = "gaussian"))
cost <- "{ f <- performance(prediction(score, y), 'cost', cost.fp = cost_fp, cost.fn = cost_fn); c <- f@y.values[[1]]; list(cutoff = f@x.values[[1]], cost_per_case = c, best_cutoff = f@x.values[[1]][which.min(c)]) }"
roc <- list(y = l(1, 1, 0, 1, 0, 0, 1, 0), score = l(.9, .8, .8, .6, .5, .4, .3, .1))
add("further-cost-5", "expected_cost", c(roc, cost_fp = 1, cost_fn = 5), cost, packages = "ROCR")
add("further-cost-1", "expected_cost", c(roc, cost_fp = 3, cost_fn = 1), cost, packages = "ROCR")
add("further-breakeven", "hothorn_breakeven", list(n = 150), "{ m <- function(p) 5^p/(p + 1); list(no_intercept = 1/sqrt(n * (m(4) - m(3)^2/m(2))), with_intercept = 1/sqrt(n * (m(4) - m(2)^2 - (m(3) - m(1) * m(2))^2/(m(2) - m(1)^2)))) }", kind = "derivation")
poi <- "list(poi = mean(sapply(seq_along(x[[1]]), function(j) { a <- sapply(x, `[[`, j); b <- sapply(y, `[[`, j); unname(wilcox.test(a, b, exact = FALSE)$statistic)/(length(a) * length(b)) })))"
add("further-poi", "probability_of_improvement", list(x = list(l(.1, .5), l(.3, .6), l(.3, .9)), y = list(l(.2, .5), l(.3, .4))), poi, note = "rliable.metrics.probability_of_improvement")
surface <- list(x1 = l(-1, 1, -1, 1, -1.41421356, 1.41421356, 0, 0, 0, 0, 0), x2 = l(-1, -1, 1, 1, 0, 0, -1.41421356, 1.41421356, 0, 0, 0), y = l(76.5, 78, 77, 79.5, 75.6, 78.4, 77, 78.5, 79.9, 80.3, 80))
rsm <- "{ f <- lm(y ~ x1 + x2 + x1:x2 + I(x1^2) + I(x2^2)); b <- coef(f); B <- matrix(c(b[4], b[6]/2, b[6]/2, b[5]), 2); s <- unname(-solve(B, b[2:3])/2)
  list(coef = unname(b[%s]), stationary = s, eigenvalues = eigen(B)$values, predicted_at_stationary = unname(predict(f, data.frame(x1 = s[1], x2 = s[2])))) }"
add("further-rsm-maximum", "response_surface", surface, sprintf(rsm, "c(1, 2, 3, 6, 4, 5)"), note = "coef in the order of rsm::rsm(y ~ SO(x1, x2))")
add("further-rsm-lm", "response_surface", surface, sprintf(rsm, "1:6"), note = "coef in the order of lm")
strat <- "{ n <- unlist(class_counts); list(per_fold_min = floor(n/k), per_fold_max = ceiling(n/k), fold_size_min = floor(sum(n)/k), fold_size_max = ceiling(sum(n)/k)) }"
add("further-folds", "stratified_kfold_counts", list(class_counts = l(50, 33, 7), k = 10), strat, kind = "definition")
add("further-folds-small", "stratified_kfold_counts", list(class_counts = l(268, 500), k = 5), strat, kind = "definition")

# --- wins and orders
wlt <- "{ k <- ncol(M); pr <- combn(k, 2); best <- apply(M, 1, if (lower_is_better) min else max); W <- M == best
  rec <- lapply(seq_len(ncol(pr)), function(c) { s <- sign(M[, pr[1, c]] - M[, pr[2, c]]) * (if (lower_is_better) -1 else 1); c(sum(s > 0), sum(s < 0), sum(s == 0)) })
  names(rec) <- apply(pr, 2, function(p) paste(colnames(M)[p], collapse = ' vs ')); list(wins_losses_ties = rec, unique_winner_counts = as.list(colSums(W & rowSums(W) == 1)), overall_winner_counts_ties_shared_count = as.list(colSums(W))) }"
add("further-wlt-riddle", "win_loss_tie", list(file = "data/riddle_c45.csv", columns = riddle, lower_is_better = TRUE), wlt, kind = "definition")
add("further-wlt-demsar", "win_loss_tie", list(file = "data/demsar2006.csv", columns = l("C4.5", "C4.5+m", "C4.5+cf"), lower_is_better = FALSE), sub("list(wins_losses_ties = rec, unique_winner_counts = as.list(colSums(W & rowSums(W) == 1)), overall_winner_counts_ties_shared_count = as.list(colSums(W)))",
    "list(wins_losses_ties = unname(rec), unique_winner_counts = unname(colSums(W & rowSums(W) == 1)), overall_winner_counts_ties_shared_count = unname(colSums(W)))", wlt, fixed = TRUE), kind = "definition")
mt <- "{ E <- do.call(rbind, lapply(errors, unlist)); pr <- combn(cost_order, 2); p <- apply(pr, 2, function(c) t.test(E[c[1] + 1, ], E[c[2] + 1, ], paired = TRUE, alternative = 'greater')$p.value)
  e <- pr[, p.adjust(p, correction) <= alpha, drop = FALSE]; left <- cost_order; o <- c()
  while (length(left)) { f <- Filter(function(i) !any(e[1, ] == i & e[2, ] %in% left), left)[1]; o <- c(o, f); left <- setdiff(left, f) }
  list(p_values = p, edges = lapply(seq_len(ncol(e)), function(c) e[, c]), order_best_first = o) }"
E4 <- t(A5[, c(4, 3, 1, 2)])
for (correction in c("holm", "none")) add(paste0("further-multitest-", correction), "multitest_data", list(errors = rows(E4), cost_order = l(0, 1, 2, 3), alpha = .05), mt, list(test = "one-sided paired t", correction = correction))

writeLines(toJSON(cases, auto_unbox = TRUE, digits = NA, pretty = 1, null = "null"), file.path(here, "further.json"))
cat(length(cases), "cases\n")
