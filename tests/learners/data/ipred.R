# Reference values for tests/learners/test_slda.py and test_bundling.py, from R 4.2.2 with ipred 0.9-13 (MASS 7.3-58.2,
# rpart 4.1.19, class 7.3-21). Rscript ipred.R FOLDER, where FOLDER holds iris.csv, wine.csv and wdbc.csv: scikit-learn's
# data sets of these names (wdbc is load_breast_cancer) with the class, a text, in the last column. Writes into the
# working directory. Rows are counted from one.
suppressPackageStartupMessages({library(ipred); library(MASS); library(class); library(rpart)})
folder <- commandArgs(trailingOnly = TRUE)[1]
read <- function(name) read.csv(file.path(folder, paste0(name, ".csv")), stringsAsFactors = TRUE)
write <- function(table, name) write.csv(format(table, digits = 12, trim = TRUE), name, row.names = FALSE, quote = FALSE)

# 1. Stabilised discriminant analysis, of inputs that are standardised by the learning sample: every `step`-th case.
stabilised <- function(name, step, label = name) {
  data <- read(name); p <- ncol(data) - 1; y <- data[[p + 1]]
  learn <- seq(1, nrow(data), by = step)
  X <- as.matrix(data[, 1:p])
  m <- colMeans(X[learn, ]); s <- apply(X[learn, ], 2, sd)
  Z <- as.data.frame(scale(X, center = m, scale = s))
  fitted <- slda(y ~ ., data = cbind(Z, y = y)[learn, ])
  said <- predict(fitted, Z)
  shown <- seq(2, nrow(data), by = 3)
  long <- function(values, what) data.frame(data = label, scores = ncol(fitted$scores), row = shown,
    what = rep(paste(what, colnames(values)), each = length(shown)), value = as.vector(values[shown, ]))
  rbind(long(said$posterior, "posterior"), long(said$x, "coordinate"))
}
write(rbind(stabilised("iris", 2), stabilised("wine", 2), stabilised("wdbc", 2), stabilised("wdbc", 28, "wdbc-few")),
      "ipred_slda.csv")

# 2. Double-bagging of small trees on five inputs, so that no two splits are equally good: the bootstrap samples, and the
# probability of "malignant" that comes of them. (cp = -1: a split is kept though both sides predict the same.)
set.seed(20261115)
data <- read("wdbc")
learn <- seq(1, nrow(data), by = 2)
coordinates <- list(list(model = lda, predict = function(object, newdata) predict(object, newdata)$x))
fitted <- bagging(diagnosis ~ ., data = data[learn, c(2, 4, 5, 9, 10, 31)], nbagg = 7, comb = coordinates,
                  control = rpart.control(minsplit = 2, minbucket = 5, cp = -1, maxdepth = 2, xval = 0, maxsurrogate = 0))
write(as.data.frame(sapply(fitted$mtrees, function(one) one$bindx)), "ipred_bootstrap_samples.csv")
shown <- seq(2, nrow(data), by = 3)
said <- sapply(c("majority", "average", "weighted"), function(how)
  predict(fitted, newdata = data[shown, ], type = "prob", aggregation = how)[, "malignant"])
write(data.frame(row = shown, said), "ipred_double_bagging.csv")

# 3. Bundling of trees of full size: errors for 20 fixed halvings of the data. Inputs are standardised as above.
set.seed(1)
probability <- function(object, newdata) matrix(predict(object, newdata, type = "response"))
neighbours <- function(formula, data) {
  target <- all.vars(formula)[1]
  list(y = data[[target]], X = data[, setdiff(names(data), target)])
}
nearest <- function(object, newdata) {
  said <- knn(object$X, newdata[, names(object$X)], object$y, k = 5, prob = TRUE)
  matrix(ifelse(said == levels(object$y)[2], attr(said, "prob"), 1 - attr(said, "prob")))
}
# slda is what it says it is for standardised inputs only (README.md).
stabilised_coordinates <- list(
  model = function(formula, data) {
    target <- all.vars(formula)[1]
    X <- scale(data[, setdiff(names(data), target)])
    frame <- data.frame(X); frame[[target]] <- data[[target]]
    list(fitted = slda(formula, data = frame), names = colnames(X), centre = attr(X, "scaled:center"),
         scale = attr(X, "scaled:scale"))
  },
  predict = function(object, newdata)
    predict(object$fitted, data.frame(scale(newdata[, object$names], object$centre, object$scale)))$x)
combinations <- list(
  bagging = NULL,
  lda = coordinates,
  slda_neighbours = list(stabilised_coordinates, list(model = neighbours, predict = nearest)),
  slda_neighbours_glm = list(stabilised_coordinates, list(model = neighbours, predict = nearest),
    list(model = function(formula, data) glm(formula, data, family = binomial), predict = probability)))
errors <- NULL
for (half in 1:20) {
  i <- seq_len(nrow(data))
  learn <- which((i * 7919 * half) %% 1009 %% 2 == 0); test <- setdiff(i, learn)
  Z <- data
  Z[, 1:30] <- scale(data[, 1:30], colMeans(data[learn, 1:30]), apply(data[learn, 1:30], 2, sd))
  for (name in names(combinations)) {
    fitted <- suppressWarnings(bagging(diagnosis ~ ., data = Z[learn, ], nbagg = 50, comb = combinations[[name]]))
    wrong <- mean(suppressWarnings(predict(fitted, newdata = Z[test, ])) != Z$diagnosis[test])
    errors <- rbind(errors, data.frame(half = half, learner = name, n_test = length(test), error = wrong))
  }
}
write(errors, "ipred_errors.csv")
