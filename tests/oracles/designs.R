# Makes the cases of designs.json that R answers: Rscript tests/oracles/designs.R, from the root of the repository.
# Nothing but base R is needed; tests do not need it. `designs.py` adds the designs of pyDOE3 to the file.
#
# Each case records the call; `y` is the table of blocks × settings as a column, `b` the block, other names the factors.

numbers <- function(x) if (length(x) == 1) format(x, digits = 15) else paste0("[", paste(vapply(x, numbers, ""), collapse = ", "), "]")
texts <- function(x) paste0("[", paste0('"', x, '"', collapse = ", "), "]")
rows <- function(M) paste0("[", paste(apply(M, 1, numbers), collapse = ", "), "]")
named <- function(parts) paste0("{", paste0('"', names(parts), '": ', unlist(parts), collapse = ", "), "}")
cases <- c()
add <- function(id, procedure, input, expected, call, abs = 1e-9) {
  source <- named(list(software = sprintf('"R %s.%s"', R.version$major, R.version$minor), call = paste0('"', call, '"'), kind = '"software"'))
  tolerance <- sprintf('{"rel": 1e-7, "abs": %g}', abs)
  cases[length(cases) + 1] <<- named(list(id = paste0('"', id, '"'), procedure = paste0('"', procedure, '"'),
    input = named(input), options = "{}", expected = named(expected), tolerance = tolerance, source = source))
}

# --- three factors in blocks, each effect against its own variation: aov with Error strata
set.seed(11)
G <- expand.grid(r = 1:2, q = 1:3, p = 1:2)[, 3:1]
n <- 6
Y <- round(matrix(rnorm(n * nrow(G)), n) + outer(rnorm(n), rep(1, nrow(G))) + rep(1, n) %o% (0.7 * (G$p == 2) + 0.4 * G$q * (G$r == 1)), 4)
long <- data.frame(y = c(Y), b = factor(rep(1:n, nrow(G))), p = factor(rep(G$p, each = n)), q = factor(rep(G$q, each = n)), r = factor(rep(G$r, each = n)))
s <- summary(aov(y ~ p * q * r + Error(b / (p * q * r)), long))
effects <- c("p", "q", "r", "p:q", "p:r", "q:r", "p:q:r")
f <- vapply(effects, function(e) s[[paste0("Error: b:", e)]][[1]][1, "F value"], 0)
d1 <- vapply(effects, function(e) s[[paste0("Error: b:", e)]][[1]][1, "Df"], 0)
d2 <- vapply(effects, function(e) s[[paste0("Error: b:", e)]][[1]][2, "Df"], 0)
add("effects-three-factors", "effects_in_blocks", list(levels = rows(G), table = rows(Y), order = "3", names = texts(c("p", "q", "r"))),
  list(effect = texts(gsub(":", " × ", effects)), F = numbers(f), df = numbers(d1), df_error = numbers(d2)),
  "summary(aov(y ~ p * q * r + Error(b / (p * q * r))))")

# --- a half fraction 2^(4-1), I = ABCD: the t test of each contrast over the blocks, squared
H <- as.matrix(expand.grid(c = c(-1, 1), b = c(-1, 1), a = c(-1, 1))[, 3:1]); H <- cbind(H, d = H[, 1] * H[, 2] * H[, 3])
Y4 <- round(matrix(rnorm(5 * 8), 5) + rep(1, 5) %o% (H[, 1] + H[, 1] * H[, 2]), 4)
contrasts <- cbind(H, H[, 1] * H[, 2], H[, 1] * H[, 3], H[, 1] * H[, 4])
t2 <- apply(contrasts, 2, function(k) unname(t.test(Y4 %*% k)$statistic)^2)
p2 <- apply(contrasts, 2, function(k) t.test(Y4 %*% k)$p.value)
add("effects-half-fraction", "effects_in_blocks", list(levels = rows(H), table = rows(Y4), order = "2", names = texts(c("a", "b", "c", "d"))),
  list(label = texts(c("a", "b", "c", "d", "a × b + c × d", "a × c + b × d", "a × d + b × c")), F = numbers(unname(t2)), p = numbers(unname(p2))),
  "t.test(Y %*% k)")

# --- a quadratic surface in blocks: lm with blocks, lack of fit against the settings as a factor
C <- rbind(as.matrix(expand.grid(x1 = c(-1, 1), x2 = c(-1, 1))), c(-1.5, 0), c(1.5, 0), c(0, -1.5), c(0, 1.5), c(0, 0), c(.5, -.25))
m <- 4
YS <- round(matrix(rnorm(m * nrow(C), sd = .3), m) + outer(rnorm(m), rep(1, nrow(C))) + rep(1, m) %o% (2 - (C[, 1] - .4)^2 - .6 * C[, 2]^2 + .3 * C[, 1] * C[, 2] + .2 * C[, 1]^3), 4)
surf <- data.frame(y = c(YS), b = factor(rep(1:m, nrow(C))), s = factor(rep(seq_len(nrow(C)), each = m)), x1 = rep(C[, 1], each = m), x2 = rep(C[, 2], each = m))
small <- lm(y ~ b + x1 + x2 + I(x1^2) + I(x1 * x2) + I(x2^2), surf)
a <- anova(small, lm(y ~ b + s, surf))
means <- colMeans(YS); fit <- lm(means ~ x1 + x2 + I(x1^2) + I(x1 * x2) + I(x2^2), data.frame(C))
per <- apply(YS, 1, function(v) coef(lm(v ~ x1 + x2 + I(x1^2) + I(x1 * x2) + I(x2^2), data.frame(C))))
add("surface-in-blocks", "surface_in_blocks", list(points = rows(C), table = rows(YS)),
  list(coefficients = numbers(unname(coef(fit))), r_squared = numbers(summary(fit)$r.squared),
    t = numbers(unname(apply(per, 1, function(v) t.test(v)$statistic))), p = numbers(unname(apply(per, 1, function(v) t.test(v)$p.value))),
    lack_of_fit_F = numbers(a$F[2]), lack_of_fit_df = numbers(a$Df[2]), lack_of_fit_df_error = numbers(a$Res.Df[2]), lack_of_fit_p = numbers(a[["Pr(>F)"]][2])),
  "anova(lm(y ~ b + SO(x1, x2)), lm(y ~ b + setting)); t.test of the coefficients of each block")

# --- orthogonal polynomials on unequal levels
lv <- c(1, 2, 5, 10)
add("trends-unequal", "trends", list(levels = numbers(lv)), list(linear = numbers(contr.poly(4, lv)[, 1]), quadratic = numbers(contr.poly(4, lv)[, 2])), "contr.poly(4, levels)")

writeLines(paste0("[\n", paste(cases, collapse = ",\n"), "\n]"), "tests/oracles/designs.json")
cat(length(cases), "cases\n")
